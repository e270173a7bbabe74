import { expect, it } from "vitest";
import { openProgress } from "../../../../src/commands/add-from/display/progress.ts";
import { fakeClock, recordOutput, screenLines } from "../../../support/terminal.ts";

const never = new AbortController().signal;

function setUp(live: boolean) {
  const clock = fakeClock();
  const stderr = Object.assign(recordOutput(), live && { isTTY: true, columns: 60 });
  let ended = 0;
  const limits = () => ({ now: clock.now() });
  const options = { stderr, clock, live, rows: 10, left: 8, ended: () => ended, limits };
  const progress = openProgress(options);
  return { clock, stderr, progress, end: (rows: number) => void (ended += rows) };
}

it("prints a line each 30 s in a log, and counts the rows of earlier runs", async () => {
  const { clock, stderr, progress, end } = setUp(false);
  end(3);
  await clock.sleep(29_000, never);
  expect(stderr.text).toBe("");
  await clock.sleep(2000, never);
  expect(stderr.text).toBe("5 of 10 rows are done (50%), 6/min, about 50 s left\n");
  progress.close();
  await clock.sleep(60_000, never);
  expect(stderr.writes).toHaveLength(1);
  expect(progress.waitLine).toBeUndefined();
});

it("draws a bar on a terminal, shows a wait on it, and clears it at the end", async () => {
  const { clock, stderr, progress, end } = setUp(true);
  const line = () => screenLines(stderr.text, 60).at(-1) ?? "";
  end(3);
  await clock.sleep(1200, never);
  expect(line()).toMatch(/^\[#+-+\] {2}5\/10 {2}50% {2}2 s left {2}/);
  await progress.waitLine?.show("waiting 9 s");
  expect(line()).toMatch(/waiting 9 s$/);
  progress.waitLine?.clear();
  await clock.sleep(200, never);
  expect(line()).not.toContain("waiting");
  progress.close();
  expect(line()).toBe("");
  await progress.waitLine?.show("late");
  expect(line()).toBe("");
});
