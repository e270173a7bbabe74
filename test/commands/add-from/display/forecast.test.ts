import { describe, expect, it } from "vitest";
import {
  estimate,
  forecastLine,
  timeLeft,
} from "../../../../src/commands/add-from/display/forecast.ts";
import type { LimiterStatus } from "../../../../src/rate-limiter/rules/status.ts";

const now = Date.UTC(2026, 10, 21, 12, 0, 0);
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000] as const;

/** Returns limits that end in `resetIn` ms, as a reply announced `ago` ms before now. */
const status = (remaining: number, limit: number, resetIn: number, ago = 500): LimiterStatus => ({
  now,
  remaining,
  limit,
  resetAt: now + resetIn,
  seenAt: now - ago,
});

it("counts neither what an import leaves to others nor faster sends than it makes", () => {
  expect(estimate(96, status(60, 60, minute), { reserve: 20 }).ms).toBe(minute);
  expect(estimate(96, status(60, 60, minute), { rate: 2000 }).ms).toBe(190 * second);
});

it("does not tell which server shares the limits", () => {
  const limiter = { url: "redis://shared.example", inForce: true };
  expect(forecastLine(9, { ...status(9, 9, minute), limiter }, {}, minute)).not.toContain("redis");
});

describe("how long it takes by the limits", () => {
  it.each([
    // Requests left, limit, reset in, rows: how long.
    [60, 60, minute, 60, 0],
    [60, 60, minute, 61, minute],
    [60, 60, minute, 120, minute],
    [60, 60, minute, 121, 2 * minute],
    [0, 60, 10 * second, 1, 10 * second],
    [0, 60, 10 * second, 60, 10 * second],
    [0, 60, 10 * second, 61, 70 * second],
    [59, 60, 27 * second, 600, 27 * second + 9 * minute],
    [60, 60, 61 * second, 180, 61 * second + minute],
    [312, 1000, 11 * hour, 313, 11 * hour],
    [312, 1000, 11 * hour, 5000, 11 * hour + 4 * day],
    [5, 1, 30 * second, 6, 30 * second],
  ])("%i of %i left for %i ms, %i rows: %i ms", (remaining, limit, resetIn, rows, ms) => {
    expect(estimate(rows, status(remaining, limit, resetIn), {}).ms).toBe(ms);
  });

  it.each<[string, LimiterStatus]>([
    ["nothing is known", { now }],
    ["its end is not announced", { now, limit: 60, remaining: 3, seenAt: now }],
    ["it makes no sense", status(0, 0, minute)],
  ])("is unknown if %s", (_why, given) => {
    expect(estimate(1, given, {}).window).toBeUndefined();
    expect(forecastLine(1000, given, {}, minute)).toBeUndefined();
  });
});

it.each([
  [13 * hour, ""],
  [minute, " The run stops before that, as it waits 1 min at most (--max-wait)."],
])("the forecast says that a run stops which waits %i ms at most: %s", (maxWaitMs, stop) => {
  expect(forecastLine(5000, status(312, 1000, 12 * hour), {}, maxWaitMs)).toBe(
    `312 of 1,000 requests left; resets at 00:00 (in 12 h). 5,000 animals take at least 4 d 12 h.${stop}`,
  );
});

it.each<[string, number, LimiterStatus, number]>([
  ["a wait", 10, { now, condition: { reason: "used_up", limit: 60, ms: 3000 } }, 3000],
  ["no wait that ends with any reply", 10, { now, condition: { reason: "learning", ms: 9 } }, 0],
  [
    "a refusal that lasts longer than the window",
    5,
    { ...status(0, 60, 1000), condition: { reason: "blocked", status: 429, ms: 9000 } },
    9000,
  ],
  ["the end of this window", 60, status(0, 60, 2000), 2000],
  ["windows that were seen", 61, { ...status(0, 60, 2000), windowMs: 4000 }, 6000],
  ["no window of nearly a minute", 61, { ...status(0, 60, 2000), windowMs: 59_000 }, 62_000],
])("the time depends on %s", (_what, rows, given, ms) => {
  expect(estimate(rows, given, {}).ms).toBe(ms);
});

it.each<[string, number, number, number, LimiterStatus, number]>([
  // Rows done, in how long, rows left: how long.
  ["the limits at first", 19, 2000, 600, status(41, 60, minute), 10 * minute],
  ["what was done later", 20, 2000, 600, { now }, 60 * second],
  ["all that fit into this window", 25, 400, 575, status(35, 60, 59_600), 575 * second],
  ["the wait for the next one", 20, 400, 24, status(0, 20, 3600), 4800],
  ["the same a second later", 20, 1400, 24, status(0, 20, 2600), 4800],
  ["a wait for the last ones", 40, 4400, 4, status(0, 20, 3600), 3600],
  [
    "a back-off",
    100,
    9000,
    50,
    { now, condition: { reason: "used_up", limit: 1, ms: 1000 } },
    5000,
  ],
])("the time left depends on %s", (_what, done, elapsedMs, left, given, ms) => {
  expect(timeLeft({ done, elapsedMs, left }, given, {})).toBe(ms);
});

it("has no window if there is no limit", () => {
  expect(estimate(1, status(2_147_483_640, 2_147_483_647, minute), {}).window).toBeUndefined();
});

describe("the current window", () => {
  const known = { limit: 60, remaining: 3, resetAt: now + 5000, seenAt: now };
  it.each([
    [0, { limit: 60, remaining: 3, endsIn: 5000, length: minute }],
    [4000, { limit: 60, remaining: 3, endsIn: 1000, length: minute }],
    [5000, { limit: 60, remaining: 60, endsIn: minute, length: minute }],
    [15_000, { limit: 60, remaining: 60, endsIn: 50_000, length: minute }],
    [70_000, { limit: 60, remaining: 60, endsIn: 55_000, length: minute }],
  ])("after %i ms", (ms, window) => {
    expect(estimate(1, { ...known, now: now + ms }, {}).window).toEqual(window);
  });
});

const blocked = { reason: "blocked", status: 429, ms: 30 * second } as const;

it.each<[string, LimiterStatus, number, string]>([
  ["all fit", status(57, 60, minute), 57, "57 animals can be sent without waiting."],
  ["one does not", status(57, 60, minute), 58, "58 animals take at least 1 min."],
  ["one is all", status(1, 60, minute), 1, "1 animal can be sent without waiting."],
  ["a day is over", status(3, 9, -2 * hour, 3 * hour), 20, "20 animals take at least 46 h."],
  [
    "there is no limit",
    status(2_147_483_647, 2_147_483_647, minute),
    9,
    "Unlimited requests. 9 animals can be sent without waiting.",
  ],
  [
    "nobody may send",
    { now, condition: blocked },
    9,
    "Waiting until 12:00:30 (in 30 s): the service refused a request (429). 9 animals take at least 30 s.",
  ],
  [
    "nobody may send at first, and then only some",
    { ...status(0, 60, 20 * second), condition: blocked },
    61,
    "(429). 61 animals take at least 1 min 20 s.",
  ],
])("the forecast says how long it takes if %s", (_case, given, rows, line) => {
  expect(forecastLine(rows, given, {}, minute)).toContain(line);
});
