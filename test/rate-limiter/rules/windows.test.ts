import { describe, expect, it } from "vitest";
import type { ObservedLimits } from "../../../src/rate-limiter/rules/records.ts";
import {
  updateWindows,
  mostConstrained,
  type QuotaWindow,
} from "../../../src/rate-limiter/rules/windows.ts";

const told = (limit: number, remaining: number, reset: number, endsIn: number): ObservedLimits => ({
  limit,
  remaining,
  reset,
  endsIn,
});

/** Returns the windows after these replies, each a second after the previous one. */
function windowsOf(...replies: readonly ObservedLimits[]): readonly QuotaWindow[] {
  let windows: readonly QuotaWindow[] = [];
  for (const [place, seen] of replies.entries())
    windows = updateWindows(windows, seen, place * 1000);
  return windows;
}

describe("the windows that replies announce", () => {
  it.each<[string, readonly ObservedLimits[], readonly object[]]>([
    ["nothing", [{}], []],
    ["no reset", [{ limit: 5, remaining: 3 }], []],
    ["one", [told(60, 9, 1e9, 5000)], [{ limit: 60, remaining: 9, endsAt: 5000 }]],
    [
      "the same, without its reset",
      [told(60, 9, 1e9, 5000), { limit: 60, remaining: 3 }],
      [{ remaining: 3, endsAt: 5000 }],
    ],
    [
      "one whose reset is not announced, of another limit or with more left",
      [told(60, 9, 1e9, 5000), { limit: 50, remaining: 3 }, { limit: 60, remaining: 30 }],
      [{ limit: 60, remaining: 9 }],
    ],
    [
      "the same again",
      [told(60, 9, 1e9, 5000), told(60, 8, 1e9, 4000)],
      [{ remaining: 8, endsAt: 5000 }],
    ],
    [
      "the same, out of order",
      [told(60, 8, 1e9, 5000), told(60, 9, 1e9, 4000)],
      [{ remaining: 8 }],
    ],
    [
      "the same, whose end is known better",
      [told(60, 8, 1e9, 5000), told(60, 7, 1e9, 3500)],
      [{ endsAt: 4500 }],
    ],
    [
      "the same in seconds from now",
      [told(60, 8, 1e9, 5000), told(60, 9, 1e9 + 1000, 4000)],
      [{ remaining: 8, reset: 1e9 }],
    ],
    [
      "the same, of a reset that was a second earlier",
      [told(60, 8, 1e9, 5000), told(60, 5, 1e9 - 1000, 4000)],
      [{ remaining: 5, reset: 1e9 }],
    ],
    [
      "one that is over",
      [told(60, 8, 1e9, 5000), told(60, 5, 1e9 - 1001, 4000)],
      [{ remaining: 8, reset: 1e9 }],
    ],
    [
      "of one second the next, which might be the same",
      [told(60, 8, 1e9, 1500), told(60, 5, 1e9 + 1000, 1500)],
      [{ remaining: 5, endsAt: 2500 }],
    ],
    [
      "of one second the one before, late",
      [told(60, 5, 1e9 + 1000, 3000), told(60, 8, 1e9, 500)],
      [{ remaining: 5, endsAt: 3000 }],
    ],
    [
      "the next",
      [told(60, 0, 1e9, 5000), told(60, 59, 1e9 + 2000, 6000)],
      [{ remaining: 59, endsAt: 7000 }],
    ],
    [
      "the one before, late",
      [told(60, 59, 1e9, 5000), told(60, 0, 1e9 - 2000, 3000)],
      [{ remaining: 59 }],
    ],
    [
      "one that is over",
      [told(60, 0, 1e9, 900), told(60, 50, 1e9 - 9000, 5000)],
      [{ remaining: 50 }],
    ],
    [
      "a minute's and a day's",
      [told(60, 9, 1e9, 5000), told(1000, 8, 2e9, 9000)],
      [{ limit: 60 }, { limit: 1000 }],
    ],
    [
      "of many limits the last four",
      [1, 2, 3, 4, 5].map((limit) => told(limit, 0, 1e9, 60_000)),
      [{ limit: 2 }, { limit: 3 }, { limit: 4 }, { limit: 5 }],
    ],
  ])("%s", (_name, replies, expected) => {
    expect(windowsOf(...replies)).toMatchObject(expected);
    expect(windowsOf(...replies)).toHaveLength(expected.length);
  });

  it("count by the fewest requests left of current windows", () => {
    const windows = windowsOf(told(60, 5, 1e9, 9000), told(1000, 3, 2e9, 3000));
    expect(mostConstrained(windows, 3999)?.limit).toBe(1000);
    expect(mostConstrained(windows, 4000)?.limit).toBe(60);
    expect(mostConstrained(windows, 9000)).toBeUndefined();
  });
});

it.each<[string, readonly ObservedLimits[], number | undefined]>([
  ["one", [told(60, 9, 1e9, 5000), told(60, 8, 1e9, 4000)], undefined],
  ["two", [told(60, 9, 1e9, 500), told(60, 59, 1e9 + 5000, 4500)], 5000],
  [
    "two after a pause",
    [told(60, 9, 1e9, 500), told(60, 59, 1e9 + 5000, 500), told(60, 59, 1e9 + 25_000, 4500)],
    5000,
  ],
  ["two of different limits", [told(60, 9, 1e9, 500), told(9, 9, 1e9 + 5000, 4500)], undefined],
])("the length of windows after %s is known", (_what, replies, length) => {
  expect(windowsOf(...replies).at(-1)?.length).toBe(length);
});
