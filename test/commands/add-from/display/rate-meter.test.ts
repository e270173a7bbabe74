import { describe, expect, it } from "vitest";
import { RateMeter } from "../../../../src/commands/add-from/display/rate-meter.ts";

/** Returns the rate after each of these times (ms) with this many rows done, held or not. */
const rates = (...moments: [number, number, boolean?][]): (number | undefined)[] => {
  const meter = new RateMeter(0);
  return moments.map(([at, done, isHeld]) => meter.update(at, done, isHeld));
};

const rounded = (rate: number | undefined) => rate && Math.round(rate * 100) / 100;

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
      1.25,
    ],
    [
      [
        [60_000, 60],
        [61_000, 120],
        [119_000, 120],
        [120_000, 120],
      ],
      0.55,
    ],
    [
      [
        [1000, 60],
        [500_000, 60],
      ],
      undefined,
    ],
    [
      [
        [30_001, 20],
        [60_002, 40],
        [90_003, 40],
      ],
      0.33,
    ],
  ])("after %j is about %d", (moments, rate) => {
    expect(rounded(rates(...moments).at(-1))).toBe(rate);
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
      14.96,
    ],
    [
      "counts time in which rows end, held or not",
      [
        [1000, 20, true],
        [2000, 22, true],
        [3000, 22, true],
      ],
      10.93,
    ],
    [
      "falls if no row ends and none waits",
      [
        [1000, 20, false],
        [2000, 20, false],
      ],
      9.92,
    ],
    ["is unknown before a row could end", [[5000, 0, true]], undefined],
  ])("%s", (_what, moments, rate) => {
    expect(rounded(rates(...moments).at(-1))).toBe(rate);
  });
});
