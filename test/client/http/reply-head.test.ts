import { describe, expect, it } from "vitest";
import { type Headers, parseReplyHead } from "../../../src/client/http/reply-head.ts";

const now = Date.UTC(2026, 10, 21, 12);
const hour = 3_600_000;
const at = (ms: number) => new Date(now + ms).toUTCString();
const parse = (headers: Headers) => parseReplyHead(200, headers, now);

describe("Retry-After", () => {
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
    expect(parse({ "retry-after": value }).retryAfter).toBe(expected);
  });

  it("is undefined without the header", () => {
    expect(parse({}).retryAfter).toBeUndefined();
  });

  it.each([-50 * hour, -1000, 0, 1000, 50 * hour])(
    "counts a date from the reply's own, whatever the local clock: %s ms apart",
    (skew) => {
      const headers = { date: at(skew), "retry-after": at(skew + 30_000) };
      expect(parse(headers).retryAfter).toBe(30_000);
    },
  );

  it("counts a date from the local clock if the reply's own is invalid", () => {
    expect(parse({ date: "today", "retry-after": at(30_000) }).retryAfter).toBe(30_000);
  });
});

describe("Date", () => {
  it.each<[string, string | undefined]>([
    ["Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"],
    ["Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"],
    ["Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z"],
    ["Thu, 29 Feb 2024 23:59:59 GMT", "2024-02-29T23:59:59Z"],
    ["", undefined],
    ["120", undefined],
    ["2026-11-21T00:00:00Z", undefined],
    ["Sun, 06 Nov 1994 08:49:37 +0100", undefined],
    ["Sun, 06 Nov 1994 08:60:00 GMT", undefined],
    ["Sun, 06 Foo 1994 08:49:37 GMT", undefined],
    ["Sunny 5", undefined],
  ])("%j: %s", (text, iso) => {
    expect(parse({ date: text }).date).toBe(iso === undefined ? undefined : Date.parse(iso));
  });
});

/** Returns these headers, named by what follows `x-ratelimit-`. */
const ratelimit = (headers: Headers, others: Headers = {}): Headers => ({
  ...Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [`x-ratelimit-${name}`, value]),
  ),
  ...others,
});

describe("X-RateLimit-*", () => {
  const unix = Math.floor(now / 1000);
  /** Returns a window that ends in `ms`, by a service whose clock is ahead by `skew` ms. */
  const endsIn = (ms: number, skew = 0) => ({ reset: now + skew + ms, endsIn: ms });

  const all = { limit: "60", remaining: "0", reset: `${unix + 30}` };
  const slow = ratelimit({ reset: `${unix - 48 * 3600 + 30}` }, { date: at(-48 * hour) });

  it.each<[string, Headers, object]>([
    ["nothing", {}, {}],
    ["all three", ratelimit(all), { limit: 60, remaining: 0, ...endsIn(30_000) }],
    ["a reset in milliseconds", ratelimit({ reset: `${now + 30_000}` }), endsIn(30_000)],
    ["a reset in seconds from now", ratelimit({ reset: "45" }), endsIn(45_000)],
    ["a reset with a fraction", ratelimit({ reset: `${unix}.25` }), endsIn(250)],
    ["a reset at this moment", ratelimit({ reset: `${unix}` }), endsIn(0)],
    ["a reset 25 h away", ratelimit({ reset: "90000" }), endsIn(25 * hour)],
    ["a reset over 25 h away", ratelimit({ reset: "90001" }), {}],
    ["a reset that is past", ratelimit({ reset: `${unix - 1}` }), {}],
    [
      "a service whose clock is an hour fast",
      ratelimit({ reset: `${unix + 3630}` }, { date: at(hour) }),
      endsIn(30_000, hour),
    ],
    ["a service whose clock is two days slow", slow, endsIn(30_000, -48 * hour)],
    ["more remaining than the limit", ratelimit({ limit: "5", remaining: "6" }), {}],
    ["one value twice", ratelimit({ limit: ["60", "60"] }), { limit: 60 }],
    ["two values", ratelimit({ limit: ["60", "70"], remaining: "1" }), { remaining: 1 }],
    ["two values on a line", ratelimit({ remaining: "1, 2" }), {}],
    ["garbage", ratelimit({ limit: "many", remaining: "-1", reset: "" }), {}],
    ["a fraction of a request", ratelimit({ remaining: "0.5" }), {}],
    ["more than can be counted", ratelimit({ limit: "9".repeat(30) }), {}],
    ["a limit of 0", ratelimit({ ...all, limit: "0" }), {}],
    ["a limit of 0 without a reset", ratelimit({ limit: "0", remaining: "0" }), {}],
    ["a limit of 0 without what remains", ratelimit({ limit: "0", reset: "45" }), {}],
    ["a limit of 0 and some remaining", ratelimit({ limit: "0", remaining: "5" }), {}],
    ["no limit", ratelimit({ limit: "2147483647" }), { limit: 2147483647 }],
  ])("%s", (_name, headers, expected) => {
    expect(parse(headers).rateLimit).toEqual(expected);
  });
});

describe("parseReplyHead", () => {
  it("leaves out what the headers do not say", () => {
    expect(parse({})).toEqual({ status: 200, receivedAt: now, rateLimit: {}, deprecation: {} });
  });

  it("returns the service's own time, and the redirect's address", () => {
    const head = parse({ date: at(hour), location: ["/a", "/b"] });
    expect(head).toMatchObject({ receivedAt: now, date: now + hour, location: "/a" });
    expect(parse({ date: "today" })).not.toMatchObject({ date: expect.any(Number) });
  });

  it.each<[string, Headers, object]>([
    ["no deprecation", { link: "</b>" }, {}],
    ["a deprecation", { deprecation: "@1764892800" }, { Deprecation: "@1764892800" }],
    ["a sunset given twice", { sunset: ["soon", "later"] }, { Sunset: "soon, later" }],
  ])("returns %s", (_name, headers, expected) => {
    expect(parse(headers).deprecation).toEqual(expected);
  });
});
