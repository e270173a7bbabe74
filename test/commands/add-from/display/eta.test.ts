import { describe, expect, it } from "vitest";
import type { LimiterStatus } from "../../../../src/rate-limiter/rules/status.ts";
import type { WaitCondition } from "../../../../src/rate-limiter/rules/decision.ts";
import type { RateWindow } from "../../../../src/commands/add-from/display/forecast.ts";
import {
  currentWaitMs,
  formatRate,
  projectWindow,
  RateMeter,
  rowsAfterWait,
  timeLeft,
} from "../../../../src/commands/add-from/display/eta.ts";

const [second, minute] = [1000, 60_000];
const now = Date.UTC(2026, 10, 21, 12);

const minuteWindow = (remaining: number, endsIn: number): RateWindow => ({
  limit: 60,
  remaining,
  endsIn,
  resetAt: now + endsIn,
  length: minute,
});

describe("timeLeft", () => {
  it.each<[string, number, number | undefined, RateWindow | undefined, number, number]>([
    // What is known; rows, rate, window, held for: ms.
    ["nothing", 10, undefined, undefined, 0, 0],
    ["the rate alone", 10, 4, undefined, 0, 2.5 * second],
    ["the rate, in a wait", 10, 4, undefined, 3 * second, 5.5 * second],
    ["a limit that has no effect", 10, 4, minuteWindow(10, minute), 0, 2.5 * second],
    ["the limits alone", 70, undefined, minuteWindow(10, 30 * second), 0, 30 * second],
    ["both, in a wait: its end, and then the rows", 10, 5, minuteWindow(0, 2000), 2000, 4000],
    ["the same a second later", 10, 5, minuteWindow(0, 1000), 1000, 3000],
    ["many windows, and the rows of the last one", 130, 5, minuteWindow(0, 2000), 2000, 124_000],
    ["many windows, the last one full", 120, 5, minuteWindow(0, 2000), 2000, 74_000],
    ["a rate that is slower than the limits", 120, 0.5, minuteWindow(0, 2000), 2000, 242_000],
    ["a refusal that lasts longer than the window", 5, 5, minuteWindow(0, 1000), 9000, 10_000],
    ["that no rows are left", 0, 5, minuteWindow(0, 9000), 0, 0],
  ])("by %s", (_what, rows, rate, window, heldMs, ms) => {
    expect(timeLeft({ rows, rate, window, heldMs })).toBe(ms);
  });
});

describe("currentWaitMs", () => {
  it.each<[WaitCondition | undefined, number]>([
    [undefined, 0],
    [{ reason: "used_up", limit: 60, ms: 700 }, 700],
    [{ reason: "blocked", status: 429, ms: 9000 }, 9000],
    // These are over as soon as a reply arrives; their ms are an upper bound.
    [{ reason: "learning", ms: 45_000 }, 0],
    [{ reason: "probing", ms: 45_000 }, 0],
  ])("%j: %d ms", (hold, ms) => {
    expect(currentWaitMs({ now, ...(hold && { condition: hold }) })).toBe(ms);
  });
});

describe("projectWindow", () => {
  it.each<[number, RateWindow]>([
    [0, minuteWindow(3, 5000)],
    [4000, { ...minuteWindow(3, 1000), resetAt: now + 5000 }],
    [5000, { ...minuteWindow(60, minute), resetAt: now + 65_000 }],
    [15_000, { ...minuteWindow(60, 50_000), resetAt: now + 65_000 }],
    [70_000, { ...minuteWindow(60, 55_000), resetAt: now + 125_000 }],
  ])("after %i ms", (ms, window) => {
    expect(projectWindow(minuteWindow(3, 5000), now + ms)).toEqual(window);
  });
});

it.each([
  [12_345.6, "12,346/s"],
  [10, "10/s"],
  [4.12, "4.1/s"],
  [1.06, "1.1/s"],
  [1, "60/min"],
  [0.98, "59/min"],
  [0.02, "1/min"],
  [0.016, "58/h"],
])("formatRate of %d is %s", (rate, text) => {
  expect(formatRate(rate)).toBe(text);
});

/** Returns the rate after each of these times (ms) with this many rows done, held or not. */
const rates = (...moments: [number, number, boolean?][]): (number | undefined)[] => {
  const meter = new RateMeter(0);
  return moments.map(([at, done, isHeld]) => meter.update(at, done, isHeld));
};

describe("RateMeter", () => {
  it.each<[[number, number][], number | undefined]>([
    [[[0, 0]], undefined],
    [[[500, 9]], undefined],
    [[[1000, 9]], 9],
    [[[1000, 0]], undefined],
    [
      [
        [1000, 60],
        [30_000, 60],
      ],
      2,
    ],
    [
      [
        [60_000, 60],
        [61_000, 120],
        [119_000, 120],
        [120_000, 120],
      ],
      1,
    ],
    [
      [
        [1000, 60],
        [70_000, 60],
      ],
      undefined,
    ],
    [
      [
        [30_001, 20],
        [60_002, 40],
        [90_003, 40],
      ],
      (20 / 60_002) * 1000,
    ],
  ])("after %j is %d", (moments, rate) => {
    expect(rates(...moments).at(-1)).toEqual(rate);
  });

  it.each<[string, [number, number, boolean?][], number | undefined]>([
    [
      "does not change while all requests wait",
      [
        [1000, 20, false],
        [2000, 20, true],
        [9000, 20, true],
      ],
      20,
    ],
    [
      "continues from there",
      [
        [1000, 20, true],
        [58_000, 20, true],
        [59_000, 30, false],
      ],
      15,
    ],
    [
      "counts time in which rows end, held or not",
      [
        [1000, 20, true],
        [2000, 22, true],
        [3000, 22, true],
      ],
      11,
    ],
    [
      "falls if no row ends and none waits",
      [
        [1000, 20, false],
        [2000, 20, false],
      ],
      10,
    ],
    ["is unknown before a row could end", [[5000, 0, true]], undefined],
  ])("%s", (_what, moments, rate) => {
    expect(rates(...moments).at(-1)).toBe(rate);
  });
});

/** Returns the status of an exhausted limit of 600. */
const usedUp = (more: object = {}) => ({
  now: 0,
  condition: { reason: "used_up" as const, limit: 600, ms: 9000, ...more },
});

describe("rowsAfterWait", () => {
  const window = { limit: 600, remaining: 0, resetAt: 1, endsIn: 1, length: 60_000 };
  it.each<[string, LimiterStatus, number, number | undefined]>([
    ["a window, except the share of others", usedUp(), 2000, 570],
    ["all that are left", usedUp(), 600, 600],
    ["the share of others", usedUp({ reserved: 30 }), 2000, 30],
    ["the last rows of it", usedUp({ reserved: 30 }), 7, 7],
    ["an unknown number of another window", usedUp({ limit: 5000 }), 2000, undefined],
    ["an unknown number without a wait", { now: 0 }, 2000, undefined],
  ])("%s", (_what, status, rows, count) => {
    expect(rowsAfterWait(status, window, rows)).toBe(count);
  });
});
