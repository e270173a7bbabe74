import { describe, expect, it } from "vitest";
import type { LimiterStatus } from "../../../../src/rate-limiter/rules/status.ts";
import {
  forecastLines,
  limitedDuration,
  rateWindow,
} from "../../../../src/commands/add-from/display/forecast.ts";

const now = Date.UTC(2026, 10, 21, 12, 0, 0);
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000] as const;

const status = (remaining: number, limit: number, resetIn: number): LimiterStatus => ({
  now,
  remaining,
  limit,
  resetAt: now + resetIn,
  seenAt: now - 500,
});

describe("with a pace of its own", () => {
  it("an import counts neither its reserve nor faster sends", () => {
    const known = status(60, 60, minute);
    const [line] = forecastLines(known, 96, hour, { reserve: 20 });
    expect(line).toMatch(
      /^A reserve of 20% leaves 48 more requests .*, then 48 per minute: .* 1 m\.$/,
    );
    expect(forecastLines(known, 96, hour, { rate: 2000 })[0]).toMatch(/at least 3 m 10 s\.$/);
  });
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
    const window = rateWindow(status(remaining, limit, resetIn));
    expect(window && limitedDuration(window, rows)).toBe(ms);
  });

  it.each<[string, LimiterStatus]>([
    ["nothing is known", { now }],
    ["the limit was reset since", status(5, 60, 0)],
    ["there is no limit", status(2_147_483_640, 2_147_483_647, minute)],
    ["its end is not announced", { now, limit: 60, remaining: 3, seenAt: now }],
    ["it makes no sense", status(0, 0, minute)],
  ])("is unknown if %s", (_why, given) => {
    expect(rateWindow(given)).toBeUndefined();
    expect(forecastLines(given, 1000, 75_000)).toEqual([]);
  });
});

describe("the forecast", () => {
  it.each<[LimiterStatus, number, number, string[]]>([
    [status(60, 60, 30 * second), 60, 75_000, []],
    [
      status(57, 60, 30 * second),
      600,
      75_000,
      [
        "The service allows 57 more requests until 12:00:30, then 60 per minute: 600 animals take at least 9 m 30 s.",
      ],
    ],
    [
      status(0, 60, 30 * second),
      1,
      75_000,
      [
        "The service allows no more requests until 12:00:30, then 60 per minute: 1 animal takes at least 30 s.",
      ],
    ],
    [
      status(1, 60, 30 * second),
      1001,
      75_000,
      [
        "The service allows 1 more request until 12:00:30, then 60 per minute: 1,001 animals take at least 16 m 30 s.",
        "If your plan allows 60 requests per minute and 1,000 per day, this takes 2 days.",
      ],
    ],
    [
      status(312, 1000, 12 * hour),
      5000,
      75_000,
      [
        "The service allows 312 more requests until 00:00, then 1,000 per day: 5,000 animals take at least 4 d 12 h.",
        "The run stops when those are used up, because the wait exceeds --max-wait 75s; run the same command again later.",
      ],
    ],
    [
      status(0, 1000, 12 * hour),
      500,
      75_000,
      [
        "The service allows no more requests until 00:00, then 1,000 per day: 500 animals take at least 12 h.",
        "The run stops now, because the wait exceeds --max-wait 75s; run the same command again later.",
      ],
    ],
    [
      status(312, 1000, 12 * hour),
      500,
      24 * hour,
      [
        "The service allows 312 more requests until 00:00, then 1,000 per day: 500 animals take at least 12 h.",
      ],
    ],
    [
      status(10, 60, 30 * second),
      100,
      0,
      [
        "The service allows 10 more requests until 12:00:30, then 60 per minute: 100 animals take at least 1 m 30 s.",
        "The run stops when those are used up, because the wait exceeds --max-wait 0s; run the same command again later.",
      ],
    ],
  ])("of %j for %i rows", (given, rows, maxWaitMs, lines) => {
    expect(forecastLines(given, rows, maxWaitMs)).toEqual(lines);
  });
});
