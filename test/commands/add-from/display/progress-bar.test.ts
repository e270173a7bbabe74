import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatBar,
  type Progress,
  progressLine,
} from "../../../../src/commands/add-from/display/progress-bar.ts";
import { formatRate, RateMeter } from "../../../../src/commands/add-from/display/eta.ts";

const half: Progress = {
  rows: 600,
  done: 300,
  rate: 1,
  leftMs: 300_000,
  limits: { remaining: 12, limit: 60 },
};

describe("the bar", () => {
  it.each<[Progress, number, string]>([
    [half, 90, "[###############---------------]  300/600  50%  5 m left  60/min  12/60 requests"],
    [half, 77, "[#############--------------]  300/600  50%  5 m left  60/min  12/60 requests"],
    [half, 60, "[#####-----]  300/600  50%  5 m left  60/min  12/60 requests"],
    [half, 59, "300/600  50%  5 m left  60/min  12/60 requests"],
    [half, 45, "[#####------]  300/600  50%  5 m left  60/min"],
    [half, 37, "300/600  50%  5 m left  60/min"],
    [half, 20, "300/600  50%  60/min"],
    [half, 19, "300/600  50%"],
    [half, 5, "300/600  50%"],
    [{ rows: 3, done: 0 }, 41, "[------------------------------]  0/3  0%"],
    [{ rows: 3, done: 0 }, 30, "[-------------------]  0/3  0%"],
    [{ rows: 3, done: 3 }, 30, "[#################]  3/3  100%"],
    [{ rows: 1_000_000, done: 999_999 }, 30, "999,999/1,000,000  99%"],
    [{ rows: 0, done: 0 }, 30, "[#################]  0/0  100%"],
    [{ ...half, waiting: "waiting 9 s" }, 77, "300/600  50%  5 m left  waiting 9 s"],
    [{ ...half, waiting: "waiting 9 s" }, 37, "300/600  50%  waiting 9 s"],
  ])("of %j in %i columns is %s", (progress, room, text) => {
    expect(formatBar(progress, room)).toBe(text);
  });

  it("is never wider than it may be, where the least that it says fits", () => {
    const count = fc.nat(2_000_000);
    const optional = { requiredKeys: ["rows", "done"] as ["rows", "done"] };
    const progress = fc.record(
      {
        rows: count,
        done: count,
        rate: fc.double({ min: 0.001, max: 1e6, noNaN: true }),
        leftMs: fc.nat(1e9),
        limits: fc.record({ remaining: count, limit: count }),
      },
      optional,
    );
    fc.assert(
      fc.property(progress, fc.integer({ min: 30, max: 200 }), (given, room) => {
        const done = Math.min(given.done, given.rows);
        expect(formatBar({ ...given, done }, room).length).toBeLessThanOrEqual(room);
      }),
    );
  });
});

it.each<[Progress, string]>([
  [half, "300 of 600 rows are done (50%), 60/min, about 5 m left"],
  [{ ...half, leftMs: 398 }, "300 of 600 rows are done (50%), 60/min, about 1 s left"],
  [{ rows: 6000, done: 0 }, "0 of 6,000 rows are done (0%)"],
])("in a log %j is %s", (progress, text) => {
  expect(progressLine(progress)).toBe(text);
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
])("%d rows a second are %s", (rate, text) => {
  expect(formatRate(rate)).toBe(text);
});

/** The rate after each of these moments (ms) with so many rows done, held up or not. */
const rates = (...moments: [number, number, boolean?][]): (number | undefined)[] => {
  const meter = new RateMeter(0);
  return moments.map(([now, done, isHeld]) => meter.update(now, done, isHeld));
};

describe("the rate", () => {
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
      "stands still while all are held up",
      [
        [1000, 20, false],
        [2000, 20, true],
        [9000, 20, true],
      ],
      20,
    ],
    [
      "goes on from there",
      [
        [1000, 20, true],
        [58_000, 20, true],
        [59_000, 30, false],
      ],
      15,
    ],
    [
      "counts the time in which rows end, held up or not",
      [
        [1000, 20, true],
        [2000, 22, true],
        [3000, 22, true],
      ],
      11,
    ],
    [
      "falls where none ends, and none is held up",
      [
        [1000, 20, false],
        [2000, 20, false],
      ],
      10,
    ],
    ["is not known before one could end", [[5000, 0, true]], undefined],
  ])("%s", (_what, moments, rate) => {
    expect(rates(...moments).at(-1)).toBe(rate);
  });
});
