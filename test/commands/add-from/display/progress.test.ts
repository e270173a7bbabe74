import { expect, it } from "vitest";
import { openProgress } from "../../../../src/commands/add-from/display/progress.ts";
import { fakeClock, recordOutput, screenLines } from "../../../support/command/terminal.ts";

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

it("prints a line every 30 s in a log, and counts the rows of earlier runs", async () => {
  const { clock, stderr, progress, end } = setUp(false);
  end(3);
  await clock.sleep(29_000, never);
  expect(stderr.text).toBe("");
  await clock.sleep(2000, never);
  expect(stderr.text).toBe("5 of 10 rows are done (50%), 6/min, about 50 s left\n");
  progress.close();
  await clock.sleep(60_000, never);
  expect(stderr.writes).toHaveLength(1);
});

it("draws a bar on a terminal, shows a wait on it, and clears it at the end", async () => {
  const { clock, stderr, progress, end } = setUp(true);
  const line = () => screenLines(stderr.text, 60).at(-1) ?? "";
  end(3);
  await clock.sleep(1200, never);
  expect(line()).toMatch(/^\[#+-+\] 5\/10 · 2 s left · /);
  const wait = (ms: number) =>
    progress.showWait({ reason: "retry", what: "trouble", ms, until: clock.now() + ms });
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
  progress.close();
  expect(line()).toBe("");
  await clock.sleep(1000, never);
  expect(line()).toBe("");
});

it("draws the bar at once", async () => {
  const { stderr, progress } = setUp(true);
  await new Promise((resolve) => void setImmediate(resolve));
  expect(stderr.text).toContain("] 2/10");
  progress.close();
});
