import { describe, expect, it } from "vitest";
import {
  type Headers,
  parseRateLimit,
  parseRetryAfter,
} from "../../../src/client/retry/rate-limit-headers.ts";

const now = Date.UTC(2026, 10, 21, 12);
const hour = 3_600_000;
const at = (ms: number) => new Date(now + ms).toUTCString();

describe("retryAfter", () => {
  it.each<[string | string[], number | undefined]>([
    ["120", 120_000],
    ["0", 0],
    ["1.5", 1500],
    ["0.0001", 1],
    [" 7 ", 7000],
    ["86400", 24 * hour],
    ["86401", 24 * hour],
    ["9".repeat(400), 24 * hour],
    [["3", "10", "5"], 10_000],
    ["3, 10, 5", 10_000],
    ["3, soon", 3000],
    [at(90_000), 90_000],
    [at(0), 0],
    [`3, ${at(90_000)}, 10`, 90_000],
    [[at(90_000), "100"], 100_000],
    [at(30 * hour), 24 * hour],
    [at(-1000), undefined],
    ["", undefined],
    ["-5", undefined],
    ["+5", undefined],
    ["1e3", undefined],
    ["5s", undefined],
    [".5", undefined],
    ["0x10", undefined],
    ["NaN", undefined],
    ["Infinity", undefined],
    ["tomorrow", undefined],
    [[], undefined],
  ])("%j: %s ms", (value, expected) => {
    expect(parseRetryAfter({ "retry-after": value }, now)).toBe(expected);
  });

  it("is undefined without the header", () => {
    expect(parseRetryAfter({}, now)).toBeUndefined();
  });

  it.each([-50 * hour, -1000, 0, 1000, 50 * hour])(
    "counts a date from the reply's own, whatever the local clock says: %s ms apart",
    (skew) => {
      const headers = { date: at(skew), "retry-after": at(skew + 30_000) };
      expect(parseRetryAfter(headers, now)).toBe(30_000);
    },
  );

  it("counts a date from the local clock where the reply's own is garbage", () => {
    expect(parseRetryAfter({ date: "today", "retry-after": at(30_000) }, now)).toBe(30_000);
  });
});

describe("rateLimits", () => {
  const unix = Math.floor(now / 1000);

  it.each<[string, Headers, object]>([
    ["nothing", {}, {}],
    [
      "all three",
      {
        "x-ratelimit-limit": "60",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": `${unix + 30}`,
      },
      { limit: 60, remaining: 0, resetAt: now + 30_000 },
    ],
    [
      "a reset in milliseconds",
      { "x-ratelimit-reset": `${now + 30_000}` },
      { resetAt: now + 30_000 },
    ],
    ["a reset in seconds from now", { "x-ratelimit-reset": "45" }, { resetAt: now + 45_000 }],
    ["a reset with a fraction", { "x-ratelimit-reset": `${unix}.25` }, { resetAt: now + 250 }],
    ["a reset at this moment", { "x-ratelimit-reset": `${unix}` }, { resetAt: now }],
    ["a reset 25 h away", { "x-ratelimit-reset": "90000" }, { resetAt: now + 25 * hour }],
    ["a reset over 25 h away", { "x-ratelimit-reset": "90001" }, {}],
    ["a reset that is past", { "x-ratelimit-reset": `${unix - 1}` }, {}],
    [
      "a service whose clock is an hour fast",
      { date: at(hour), "x-ratelimit-reset": `${unix + 3630}` },
      { resetAt: now + 30_000 },
    ],
    [
      "a service whose clock is two days slow",
      { date: at(-48 * hour), "x-ratelimit-reset": `${unix - 48 * 3600 + 30}` },
      { resetAt: now + 30_000 },
    ],
    [
      "more remaining than the limit",
      { "x-ratelimit-limit": "5", "x-ratelimit-remaining": "6" },
      {},
    ],
    ["one value twice", { "x-ratelimit-limit": ["60", "60"] }, { limit: 60 }],
    [
      "two values",
      { "x-ratelimit-limit": ["60", "70"], "x-ratelimit-remaining": "1" },
      { remaining: 1 },
    ],
    ["two values on a line", { "x-ratelimit-remaining": "1, 2" }, {}],
    [
      "garbage",
      { "x-ratelimit-limit": "many", "x-ratelimit-remaining": "-1", "x-ratelimit-reset": "" },
      {},
    ],
    ["a fraction of a request", { "x-ratelimit-remaining": "0.5" }, {}],
    ["more than can be counted", { "x-ratelimit-limit": "9".repeat(30) }, {}],
    ["no limit", { "x-ratelimit-limit": "2147483647" }, { limit: 2147483647 }],
  ])("%s", (_name, headers, expected) => {
    expect(parseRateLimit(headers, now)).toStrictEqual(expected);
  });
});
