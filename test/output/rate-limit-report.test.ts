import { describe, expect, it } from "vitest";
import { limitRecord, limitSentences } from "../../src/output/rate-limit-report.ts";
import type { LimiterStatus } from "../../src/rate-limiter/rules/status.ts";

const now = Date.UTC(2026, 10, 5, 12, 0, 0);
const seen = { now, limit: 60, remaining: 41, resetAt: now + 45_000, seenAt: now - 3000 };
const seenRecord = {
  limit: 60,
  remaining: 41,
  resetAt: "2026-11-05T12:00:45.000Z",
  seenAt: "2026-11-05T11:59:57.000Z",
};
const waitUntil = "2026-11-05T12:00:30.000Z";
const ms = 30_000;

const cases: [what: string, status: Partial<LimiterStatus>, record: object][] = [
  ["nothing", {}, {}],
  ["limits", seen, seenRecord],
  ["a limit alone", { limit: 60, seenAt: now }, { limit: 60, seenAt: "2026-11-05T12:00:00.000Z" }],
  [
    "a wait after a 429 without limits",
    { condition: { reason: "blocked", status: 429, ms } },
    { waitUntil, waitReason: "rate_limited" },
  ],
  [
    "a wait after a 503",
    { ...seen, condition: { reason: "blocked", status: 503, ms } },
    { ...seenRecord, waitUntil, waitReason: "unavailable" },
  ],
  [
    "a limit that is used up",
    { ...seen, condition: { reason: "used_up", limit: 60, ms: 45_000 } },
    { ...seenRecord, waitUntil: seenRecord.resetAt, waitReason: "used_up" },
  ],
  [
    "a probe, of unknown length",
    { ...seen, condition: { reason: "probing", ms } },
    { ...seenRecord, waitReason: "probing" },
  ],
  ["requests in flight", { condition: { reason: "learning", ms } }, { waitReason: "learning" }],
  [
    "moments that do not exist",
    { resetAt: 1e300, seenAt: 1e300, condition: { reason: "used_up", limit: 1, ms: 1e300 } },
    { waitReason: "used_up" },
  ],
];

it.each(cases)("%s are shown to scripts", (_what, status, record) => {
  expect(limitRecord({ now, ...status })).toEqual(record);
});

describe("limitSentences", () => {
  const soon = now + 60_000;

  it.each<[Partial<LimiterStatus>, readonly string[]]>([
    [{}, []],
    [seen, ["41 of 60 requests left; resets at 12:00:45 (in 45 s)."]],
    [
      { ...seen, limit: 100_000, remaining: 99_999, resetAt: now + 12 * 3_600_000 },
      ["99,999 of 100,000 requests left; resets at 00:00 (in 12 h)."],
    ],
    [{ limit: 1, remaining: 1, seenAt: now }, ["1 of 1 request left."]],
    [{ remaining: 7, seenAt: now }, ["7 requests left."]],
    [{ limit: 60, seenAt: now }, ["The limit is 60 requests."]],
    [{ limit: 60, resetAt: soon }, ["The limit is 60 requests; it resets at 12:01 (in 1 min)."]],
    [{ resetAt: soon }, ["The limit resets at 12:01 (in 1 min)."]],
    [{ ...seen, limit: 2_147_483_647, remaining: 2_147_483_647 }, ["Unlimited requests."]],
    [{ ...seen, resetAt: now - 60_000, seenAt: now - 120_000 }, ["The limit is 60 requests."]],
    [{ remaining: 0, resetAt: now, seenAt: now }, []],
    [
      { condition: { reason: "blocked", status: 429, ms } },
      ["Waiting until 12:00:30 (in 30 s): the service refused a request (429)."],
    ],
    [
      { ...seen, remaining: 0, condition: { reason: "used_up", limit: 60, ms: 45_000 } },
      [
        "0 of 60 requests left; resets at 12:00:45 (in 45 s).",
        "Waiting until 12:00:45 (in 45 s): all requests of the limit are used or in flight.",
      ],
    ],
    [
      { condition: { reason: "probing", ms } },
      ["Waiting: a probe request asks whether the service accepts requests again."],
    ],
  ])("of %j", (status, sentences) => {
    expect(limitSentences({ now, ...status })).toEqual(sentences);
  });
});
