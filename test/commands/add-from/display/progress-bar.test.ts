import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatBar,
  type Progress,
  progressLine,
} from "../../../../src/commands/add-from/display/progress-bar.ts";

const half: Progress = {
  rows: 600,
  done: 300,
  rate: 1,
  leftMs: 300_000,
  limits: { remaining: 12, limit: 60 },
};

describe("formatBar", () => {
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

  it("is never wider than its room, if the counts fit", () => {
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
])("progressLine of %j is %s", (progress, text) => {
  expect(progressLine(progress)).toBe(text);
});
