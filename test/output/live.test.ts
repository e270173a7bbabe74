import { expect, it } from "vitest";
import { canBeLive, openLiveLine } from "../../src/output/live.ts";
import { recordOutput, screenLines, widestLine } from "../support/terminal.ts";

it.each([
  [true, {}, true],
  [true, { TERM: "xterm" }, true],
  [true, { TERM: "dumb" }, false],
  [false, {}, false],
])("terminal %s with %j is live: %s", (isTTY, env, live) => {
  expect(canBeLive(recordOutput({ isTTY }), env)).toBe(live);
});

it("writes over what it showed, within the width, and wipes it", async () => {
  const stderr = recordOutput({ isTTY: true, columns: 20 });
  const line = openLiveLine(stderr);
  await line.show("the first, which is longer than the terminal");
  await line.show("日本日本日本日本日本日本\x1b[2J");
  expect(widestLine(stderr.text)).toBeLessThan(20);
  expect(screenLines(stderr.text, 20)).toEqual(["日本日本日本日本日…"]);
  line.wipe();
  expect(screenLines(stderr.text, 20)).toEqual([]);
});

it("writes nothing when there is nothing to wipe, nor what is shown too late", async () => {
  const stderr = recordOutput({ isTTY: true });
  const line = openLiveLine(stderr);
  line.wipe();
  const late = line.show("late");
  line.wipe();
  await late;
  expect(stderr.text).toBe("");
});
