import { describe, expect, it } from "vitest";
import { openStatusLine, coordinateTerminal } from "../../src/output/status-line.ts";
import type { Output } from "../../src/platform/io.ts";
import { screenLines } from "../support/command/screen.ts";
import { recordOutput, widestLine } from "../support/command/terminal.ts";

it.each([
  [true, {}, true],
  [true, { TERM: "xterm" }, true],
  [true, { TERM: "dumb" }, false],
  [true, { ACCESSIBLE: "1" }, false],
  [true, { ACCESSIBLE: "no" }, false],
  [true, { ACCESSIBLE: "" }, true],
  [true, { ACCESSIBLE: "0" }, true],
  [false, {}, false],
])("openStatusLine, terminal %s with %j: %s", (isTTY, env, live) => {
  expect(openStatusLine(recordOutput({ isTTY }), env) !== undefined).toBe(live);
});

/** Returns the status line of a terminal. */
function lineOf(output: Output) {
  const line = openStatusLine(output, {});
  if (line === undefined) throw new TypeError("no status line");
  return line;
}

it("overwrites what it showed, within the width, and clears it with the ^C of the terminal", async () => {
  const stderr = recordOutput({ isTTY: true, columns: 20 });
  const line = lineOf(stderr);
  line.show("the first, which is longer than the terminal");
  line.show("日本日本日本日本日本日本\x1b[2J");
  expect(widestLine(stderr.text)).toBeLessThan(20);
  expect(await screenLines(stderr.text, 20)).toEqual(["日本日本日本日本…"]);
  await stderr.write("^C");
  line.clear();
  expect(await screenLines(stderr.text, 20)).toEqual([]);
});

/** Returns the streams of a terminal of 20 columns, or with standard output in a pipe, and what it shows. */
const share = ({ piped = false } = {}) => {
  const screen: string[] = [];
  const output = (isTTY: boolean): Output => ({
    isTTY,
    columns: isTTY ? 20 : undefined,
    write: async (text) => void (isTTY && screen.push(text)),
  });
  const streams = coordinateTerminal({ stdout: output(!piped), stderr: output(true) });
  return { ...streams, lines: () => screenLines(screen.join(""), 20) };
};

describe("a terminal that is shared", () => {
  it.each(["stdout", "stderr"] as const)(
    "shows what is written to %s above the line",
    async (name) => {
      const terminal = share();
      const line = lineOf(terminal.stderr);
      line.show("1 of 2");
      await terminal[name].write("a longer line\n");
      expect(await terminal.lines()).toEqual(["a longer line", "1 of 2"]);
      line.show("2 of 2");
      expect(await terminal.lines()).toEqual(["a longer line", "2 of 2"]);
      line.clear();
      await terminal[name].write("b\n");
      expect(await terminal.lines()).toEqual(["a longer line", "b"]);
    },
  );

  it.each(["stdout", "stderr"] as const)(
    "does not overwrite an unfinished line on %s",
    async (name) => {
      const terminal = share();
      lineOf(terminal.stderr).show("1 of 2");
      await terminal[name].write("name: ");
      await terminal[name].write("Rex\n");
      expect(await terminal.lines()).toEqual(["name: Rex"]);
    },
  );

  it("keeps the line if standard output is not a terminal", async () => {
    const terminal = share({ piped: true });
    lineOf(terminal.stderr).show("1 of 2");
    await terminal.stdout.write("Rex\n");
    expect(await terminal.lines()).toEqual(["1 of 2"]);
  });
});
