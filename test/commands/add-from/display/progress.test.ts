import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatBar,
  formatTimeLeft,
  type Progress,
  progressLine,
  rateMeter,
  type RunState,
  showCheck,
  showProgress,
} from "../../../../src/commands/add-from/display/progress.ts";
import type { LimiterStatus } from "../../../../src/rate-limiter/rules/status.ts";
import { settingsWith } from "../../../config/support/settings.ts";
import { turn } from "../../../imports/support/run.ts";
import { fakeClock, recordOutput, screenLines } from "../../../support/command/terminal.ts";

const never = new AbortController().signal;

function setUp(live: boolean, changes: Partial<RunState> = {}) {
  const clock = fakeClock();
  const stderr = Object.assign(recordOutput(), live && { isTTY: true, columns: 60 });
  const limits = (): LimiterStatus => ({ now: clock.now() });
  const start = { rows: 10, left: 8, waits: new Set<never>(), limits, pace: {} };
  const run: RunState = { ...start, ...changes };
  const context = { stdout: recordOutput(), stderr, clock, env: {}, settings: settingsWith() };
  const close = showProgress(context, run);
  return { clock, stderr, close, run };
}

it("prints a line every 30 s in a log, and counts the rows of earlier runs", async () => {
  const { clock, stderr, close, run } = setUp(false);
  run.left -= 3;
  await clock.sleep(29_000, never);
  expect(stderr.text).toBe("");
  await clock.sleep(2000, never);
  expect(stderr.text).toBe("5/10 · 50 s left\n");
  close();
  await clock.sleep(60_000, never);
  expect(stderr.writes).toHaveLength(1);
});

it("draws a bar on a terminal, shows a wait on it, and clears it at the end", async () => {
  const { clock, stderr, close, run } = setUp(true);
  const line = () => screenLines(stderr.text, 60).at(-1) ?? "";
  run.left -= 3;
  await clock.sleep(1200, never);
  expect(line()).toMatch(/^\[#+-+\] 5\/10 · 2 s left$/);
  const wait = (ms: number) => {
    const planned = { reason: "retry", what: "trouble", ms, until: clock.now() + ms } as const;
    run.waits.add(planned);
    return () => run.waits.delete(planned);
  };
  const [long, short, shortest] = [wait(9000), wait(5000), wait(1000)];
  await clock.sleep(200, never);
  expect(line()).toMatch(/ · next in 5 s · trouble$/);
  short();
  await clock.sleep(200, never);
  expect(line()).toMatch(/ · next in 9 s · trouble$/);
  long();
  shortest();
  await clock.sleep(200, never);
  expect(line()).not.toContain("next");
  close();
  expect(line()).toBe("");
  await clock.sleep(1000, never);
  expect(line()).toBe("");
});

it("draws the bar at once", async () => {
  const { stderr, close } = setUp(true);
  await new Promise((resolve) => void setImmediate(resolve));
  expect(stderr.text).toContain("] 2/10");
  close();
});

/** Returns the status of an exhausted limit of 600. */
const usedUp = (more: object = {}): LimiterStatus => ({
  now: 0,
  limit: 600,
  remaining: 0,
  resetAt: 9000,
  condition: { reason: "used_up", limit: 600, ms: 9000, ...more },
});

it.each<[string, LimiterStatus, number, string]>([
  ["a window", usedUp(), 2000, "next 600 in 9 s"],
  ["all that are left", usedUp(), 300, "next 300 in 9 s"],
  ["the share of others", usedUp({ reserved: 30 }), 2000, "next 30 in 9 s"],
  ["the last rows of it", usedUp({ reserved: 30 }), 7, "next 7 in 9 s"],
  ["an unknown number without a wait", { now: 0 }, 2000, "next in 9 s"],
])("shows that after a wait come %s", (_what, status, left, text) => {
  const wait = { reason: "limiter", what: "", ms: 9000, until: 9000 } as const;
  const waits = new Set([wait]);
  const { stderr, close } = setUp(true, { rows: left, left, waits, limits: () => status });
  close();
  expect(stderr.text).toContain(` · ${text}`);
});

function check({ isTTY = true, quiet = false } = {}) {
  const stderr = recordOutput({ isTTY, columns: 40 });
  const clock = fakeClock();
  const settings = settingsWith({ quiet });
  const progress = showCheck({ stdout: stderr, stderr, clock, env: {}, settings }, "big.csv");
  const add = async (rows: number, afterMs: number): Promise<string[]> => {
    clock.advance(afterMs);
    progress.add(rows);
    await turn();
    return screenLines(stderr.text, 40);
  };
  return { add, progress, stderr };
}

it("shows the rows that were checked after a second, and clears them", async () => {
  const { add, progress, stderr } = check();
  expect(await add(900, 999)).toEqual([]);
  expect(await add(600, 1)).toEqual(["checking big.csv: 1,500 rows"]);
  expect(await add(600, 199)).toEqual(["checking big.csv: 1,500 rows"]);
  expect(await add(600, 1)).toEqual(["checking big.csv: 2,700 rows"]);
  progress.close();
  expect(screenLines(stderr.text, 40)).toEqual([]);
});

it.each([{ isTTY: false }, { quiet: true }])("shows nothing with %j", async (options) => {
  const { add, progress, stderr } = check(options);
  await add(1, 5000);
  progress.close();
  expect(stderr.text).toBe("");
});

/** Returns the rate after each of these times (ms) with this many rows done, held or not. */
const rates = (...moments: [number, number, boolean?][]): (number | undefined)[] => {
  const meter = rateMeter(0, 0);
  return moments.map(([at, done, isHeld = false]) => meter(at, done, isHeld));
};

const rounded = (rate: number | undefined) => rate && Math.round(rate * 100) / 100;

describe("rateMeter", () => {
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

const left = ["5 min left"];
const half: Progress = { rows: 600, done: 300, parts: [left] };
const waiting: Progress = {
  rows: 2000,
  done: 599,
  parts: [["4 min left"], ["next 300 in 25 s", "next in 25 s"]],
};
const trouble: Progress = {
  ...half,
  parts: [left, ["next in 9 s"], ["the service said 503 Service Unavailable now"]],
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
    [{ rows: 3, done: 0, parts: [] }, 41, "[------------------------------] 0/3"],
    [{ rows: 3, done: 3, parts: [] }, 30, "[########################] 3/3"],
    [{ rows: 1_000_000, done: 999_999, parts: [] }, 29, "999,999/1,000,000"],
    [{ rows: 0, done: 0, parts: [] }, 16, "[##########] 0/0"],
  ])("of %j in %i columns is %s", (progress, room, text) => {
    expect(formatBar(progress, room)).toBe(text);
  });

  it("is never wider than its room, if the counts fit", () => {
    const count = fc.nat(2_000_000);
    const variants = fc.array(fc.string({ maxLength: 40 }), { maxLength: 2 });
    const parts = fc.array(variants, { maxLength: 3 });
    const progress = fc.record({ rows: count, done: count, parts });
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
  [{ rows: 6000, done: 0, parts: [] }, "0/6,000"],
])("progressLine of %j is %s", (progress, text) => {
  expect(progressLine(progress)).toBe(text);
});

it.each([
  [398, "1 s"],
  [59_000, "59 s"],
  [59_001, "1 min"],
  [61_000, "2 min"],
  [3_600_000, "1 h"],
  [86_400_000, "24 h"],
  [3 * 86_400_000, "3 d"],
  [5 * 3_600_000 + 61_000, "5 h 2 min"],
  [100 * 3_600_000, "4 d 4 h"],
])("formatTimeLeft of %i ms is %s", (ms, text) => {
  expect(formatTimeLeft(ms)).toBe(text);
});
