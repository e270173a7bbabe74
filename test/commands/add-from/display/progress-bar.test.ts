import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatBar,
  type Progress,
  progressLine,
} from "../../../../src/commands/add-from/display/progress-bar.ts";

const half: Progress = { rows: 600, done: 300, leftMs: 300_000 };
const waiting: Progress = {
  rows: 2000,
  done: 599,
  leftMs: 239_000,
  next: { inMs: 24_600, count: 300 },
};
const trouble: Progress = {
  ...half,
  next: { inMs: 9000, why: "the service said 503 Service Unavailable now" },
};

describe("formatBar", () => {
  it.each<[Progress, number, string]>([
    [half, 97, "[###############---------------] 300/600 · 5 min left"],
    [half, 57, "[###############---------------] 300/600 · 5 min left"],
    [half, 20, "300/600 · 5 min left"],
    [half, 19, "300/600"],
    [waiting, 97, "[########----------------------] 599/2,000 · 4 min left · next 300 in 25 s"],
    [waiting, 57, "[###----------] 599/2,000 · 4 min left · next 300 in 25 s"],
    [waiting, 41, "599/2,000 · 4 min left · next 300 in 25 s"],
    [waiting, 40, "599/2,000 · 4 min left · next in 25 s"],
    [waiting, 37, "599/2,000 · 4 min left · next in 25 s"],
    [waiting, 35, "[##--------] 599/2,000 · 4 min left"],
    [waiting, 21, "599/2,000"],
    [
      trouble,
      97,
      "[######-------] 300/600 · 5 min left · next in 9 s · the service said 503 Service Unavailable now",
    ],
    [trouble, 57, "[##########----------] 300/600 · 5 min left · next in 9 s"],
    [half, 5, "300/600"],
    [{ rows: 3, done: 0 }, 41, "[------------------------------] 0/3"],
    [{ rows: 3, done: 3 }, 30, "[########################] 3/3"],
    [{ rows: 1_000_000, done: 999_999 }, 29, "999,999/1,000,000"],
    [{ rows: 0, done: 0 }, 16, "[##########] 0/0"],
  ])("of %j in %i columns is %s", (progress, room, text) => {
    expect(formatBar(progress, room)).toBe(text);
  });

  it.each([
    [398, "1 s"],
    [59_000, "59 s"],
    [59_001, "1 min"],
    [61_000, "2 min"],
    [3_600_000, "1 h"],
    [86_400_000, "24 h"],
    [3 * 86_400_000, "3 d"],
  ])("of %i ms left says %s", (leftMs, text) => {
    expect(formatBar({ rows: 2, done: 1, leftMs }, 24)).toBe(`1/2 · ${text} left`);
  });

  it("is never wider than its room, if the counts fit", () => {
    const count = fc.nat(2_000_000);
    const optional = { requiredKeys: ["rows", "done"] as ["rows", "done"] };
    const progress = fc.record(
      {
        rows: count,
        done: count,
        leftMs: fc.nat(1e9),
        next: fc.record({ inMs: fc.nat(1e9), count, why: fc.string({ maxLength: 40 }) }),
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
  [half, "300/600 · 5 min left"],
  [waiting, "599/2,000 · 4 min left · next 300 in 25 s"],
  [{ rows: 6000, done: 0 }, "0/6,000"],
])("progressLine of %j is %s", (progress, text) => {
  expect(progressLine(progress)).toBe(text);
});
