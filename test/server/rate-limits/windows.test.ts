import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unlimited } from "../../../src/core/api.ts";
import {
  type Counts,
  currentCounts,
  exhaustedUntil,
  tightestWindow,
} from "../../../src/server/rate-limits/windows.ts";
import { defaultWindows } from "../../../src/server/rate-limits/plans.ts";

const day = Date.UTC(2026, 10, 6);
const minute = Date.UTC(2026, 10, 5, 12, 1);
const counts = (perMinute: number, perDay: number): Counts => ({
  minute: { end: minute, requests: perMinute },
  day: { end: day, requests: perDay },
});
const plan = (perMinute: number, perDay: number) => ({
  name: "test",
  perMinute,
  perDay,
  windows: defaultWindows,
});

describe("currentCounts", () => {
  it.each([
    ["in the same minute", minute - 1, 3, 9],
    ["in the next minute", minute, 0, 9],
    ["on the next day", day, 0, 0],
    ["after the clock went back", minute - 60_001, 0, 9],
  ])("%s", (_when, now, perMinute, perDay) => {
    const current = currentCounts(counts(3, 9), now, defaultWindows);
    expect([current.minute.requests, current.day.requests]).toEqual([perMinute, perDay]);
  });

  it("ends every window after now, aligned to its length", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (now) => {
        const current = currentCounts(counts(1, 1), now, defaultWindows);
        for (const [count, length] of [
          [current.minute, defaultWindows.minute],
          [current.day, defaultWindows.day],
        ] as const) {
          expect(count.end % length).toBe(0);
          expect(count.end - now).toBeGreaterThan(0);
          expect(count.end - now).toBeLessThanOrEqual(length);
        }
      }),
    );
  });
});

describe("exhaustedUntil", () => {
  it.each([
    ["neither", 2, 8, undefined],
    ["the minute", 3, 8, minute],
    ["the day", 2, 9, day],
    ["both", 3, 9, day],
  ])("%s", (_what, perMinute, perDay, expected) => {
    expect(exhaustedUntil(plan(3, 9), counts(perMinute, perDay))).toBe(expected);
  });
});

describe("tightestWindow", () => {
  it.each([
    ["the minute, with fewer left", plan(3, 9), counts(2, 2), [3, 1, minute]],
    ["the day, with fewer left", plan(3, 9), counts(1, 8), [9, 1, day]],
    ["the day, if both have as many", plan(3, 5), counts(1, 3), [5, 2, day]],
    ["never below 0", plan(3, 9), counts(1, 12), [9, 0, day]],
    ["without limit", plan(Infinity, Infinity), counts(9, 9), [unlimited, unlimited, minute]],
    ["a day without limit", plan(3, Infinity), counts(1, 9), [3, 2, minute]],
  ])("%s", (_what, each, used, [limit, remaining, resetAt]) => {
    expect(tightestWindow(each, used)).toEqual({ limit, remaining, resetAt });
  });
});
