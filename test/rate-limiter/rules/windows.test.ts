import { describe, expect, it } from "vitest";
import type { ObservedLimits } from "../../../src/rate-limiter/rules/records.ts";
import {
  updateWindows,
  mostConstrained,
  type QuotaWindow,
} from "../../../src/rate-limiter/rules/windows.ts";

/** Returns the limits of a reply, whose window resets `later` ms after 1e9. */
const told = (limit: number, remaining: number, later: number, endsIn: number): ObservedLimits => ({
  limit,
  remaining,
  reset: 1e9 + later,
  endsIn,
});
const first = told(60, 9, 0, 5000);

/** Returns the windows after these replies, each a second after the previous one. */
function windowsOf(...replies: readonly ObservedLimits[]): readonly QuotaWindow[] {
  let windows: readonly QuotaWindow[] = [];
  for (const [place, seen] of replies.entries())
    windows = updateWindows(windows, seen, place * 1000);
  return windows;
}

describe("the windows that replies announce", () => {
  it.each<[string, readonly ObservedLimits[], ...expected: readonly object[]]>([
    ["nothing", [{}]],
    ["no reset", [{ limit: 5, remaining: 3 }]],
    ["one", [first], { limit: 60, remaining: 9, endsAt: 5000 }],
    ["it, without its reset", [first, { limit: 60, remaining: 3 }], { remaining: 3, endsAt: 5000 }],
    ["another limit, without a reset", [first, { limit: 50, remaining: 3 }], { remaining: 9 }],
    ["more left, without a reset", [first, { limit: 60, remaining: 30 }], { remaining: 9 }],
    ["the same again", [first, told(60, 8, 0, 4000)], { remaining: 8, endsAt: 5000 }],
    ["the same, out of order", [told(60, 8, 0, 5000), told(60, 9, 0, 4000)], { remaining: 8 }],
    ["the same, whose end is known better", [first, told(60, 7, 0, 3500)], { endsAt: 4500 }],
    ["the same in seconds from now", [first, told(60, 9, 1000, 4000)], { reset: 1e9 }],
    ["the same, reset a second earlier", [first, told(60, 5, -1000, 4000)], { remaining: 5 }],
    ["the one before, late", [first, told(60, 0, -1001, 4000)], { remaining: 9, reset: 1e9 }],
    ["the next", [first, told(60, 59, 2000, 6000)], { remaining: 59, endsAt: 7000 }],
    ["one that has ended", [told(60, 0, 0, 900), told(60, 50, -9000, 5000)], { remaining: 50 }],
    [
      "of one second the next, which might be the same",
      [told(60, 8, 0, 1500), told(60, 5, 1000, 1500)],
      { remaining: 5, endsAt: 2500 },
    ],
    [
      "of one second the one before, late",
      [told(60, 5, 1000, 3000), told(60, 8, 0, 500)],
      { remaining: 5, endsAt: 3000 },
    ],
    ["a minute and a day", [first, told(1000, 8, 1e9, 9000)], { limit: 60 }, { limit: 1000 }],
    [
      "of many limits the last four",
      [1, 2, 3, 4, 5].map((limit) => told(limit, 0, 0, 60_000)),
      ...[2, 3, 4, 5].map((limit) => ({ limit })),
    ],
  ])("%s", (_name, replies, ...expected) => {
    expect(windowsOf(...replies)).toMatchObject(expected);
    expect(windowsOf(...replies)).toHaveLength(expected.length);
  });

  it("count by the fewest requests left of current windows", () => {
    const windows = windowsOf(told(60, 5, 0, 9000), told(1000, 3, 1e9, 3000));
    expect(mostConstrained(windows, 3999)?.limit).toBe(1000);
    expect(mostConstrained(windows, 4000)?.limit).toBe(60);
    expect(mostConstrained(windows, 9000)).toBeUndefined();
  });
});

it.each<[string, readonly ObservedLimits[], number | undefined]>([
  ["one", [first, told(60, 8, 0, 4000)], undefined],
  ["two", [first, told(60, 59, 5000, 4500)], 5000],
  ["two after a pause", [first, told(60, 59, 5000, 500), told(60, 59, 25_000, 4500)], 5000],
  ["two of different limits", [first, told(9, 9, 5000, 4500)], undefined],
])("the length of windows after %s is known", (_what, replies, length) => {
  expect(windowsOf(...replies).at(-1)?.length).toBe(length);
});
