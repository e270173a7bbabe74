import { describe, expect, it } from "vitest";
import type { WaitCondition } from "../../../../src/rate-limiter/decision.ts";
import type { RateWindow } from "../../../../src/commands/add-from/display/forecast.ts";
import {
  currentWaitMs,
  timeLeft,
  projectWindow,
} from "../../../../src/commands/add-from/display/eta.ts";

const [second, minute] = [1000, 60_000];
const now = Date.UTC(2026, 10, 21, 12);

const windowOf = (remaining: number, endsIn: number): RateWindow => ({
  limit: 60,
  remaining,
  endsIn,
  resetAt: now + endsIn,
  length: minute,
});

describe("the time that is left", () => {
  it.each<[string, number, number | undefined, RateWindow | undefined, number, number]>([
    // What is known; rows, rate, window, held for: ms.
    ["nothing", 10, undefined, undefined, 0, 0],
    ["the rate alone", 10, 4, undefined, 0, 2.5 * second],
    ["the rate, in a wait", 10, 4, undefined, 3 * second, 5.5 * second],
    ["a limit that is no hindrance", 10, 4, windowOf(10, minute), 0, 2.5 * second],
    ["the limits alone", 70, undefined, windowOf(10, 30 * second), 0, 30 * second],
    ["both, in a wait: its end, and then the rows", 10, 5, windowOf(0, 2000), 2000, 4000],
    ["the same a second later", 10, 5, windowOf(0, 1000), 1000, 3000],
    ["many windows, and the rows of the last one", 130, 5, windowOf(0, 2000), 2000, 124_000],
    ["many windows, the last one full", 120, 5, windowOf(0, 2000), 2000, 74_000],
    ["a rate that is slower than the limits", 120, 0.5, windowOf(0, 2000), 2000, 242_000],
    ["a refusal that lasts longer than the window", 5, 5, windowOf(0, 1000), 9000, 10_000],
    ["that no rows are left", 0, 5, windowOf(0, 9000), 0, 0],
  ])("by %s", (_what, rows, rate, window, heldMs, ms) => {
    expect(timeLeft({ rows, rate, window, heldMs })).toBe(ms);
  });
});

describe("how long requests are held up", () => {
  it.each<[WaitCondition | undefined, number]>([
    [undefined, 0],
    [{ reason: "used_up", limit: 60, ms: 700 }, 700],
    [{ reason: "blocked", status: 429, ms: 9000 }, 9000],
    // These are over as soon as a reply comes; their ms are the most.
    [{ reason: "learning", ms: 45_000 }, 0],
    [{ reason: "probing", ms: 45_000 }, 0],
  ])("%j: %d ms", (hold, ms) => {
    expect(currentWaitMs({ now, ...(hold && { hold }) })).toBe(ms);
  });
});

describe("the window that goes on, by the last one that was told", () => {
  it.each<[number, RateWindow]>([
    [0, windowOf(3, 5000)],
    [4000, { ...windowOf(3, 1000), resetAt: now + 5000 }],
    [5000, { ...windowOf(60, minute), resetAt: now + 65_000 }],
    [15_000, { ...windowOf(60, 50_000), resetAt: now + 65_000 }],
    [70_000, { ...windowOf(60, 55_000), resetAt: now + 125_000 }],
  ])("after %i ms", (ms, window) => {
    expect(projectWindow(windowOf(3, 5000), now + ms)).toEqual(window);
  });
});
