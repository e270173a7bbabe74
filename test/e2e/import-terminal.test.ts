import { describe, expect, it } from "vitest";
import { shellCommand } from "../../src/core/shell-quote.ts";
import { screenLines } from "../support/command/screen.ts";
import { widestLine } from "../support/command/terminal.ts";
import { runInTime } from "../support/command/world.ts";
import { envFor, script } from "../support/program/program.ts";
import { type PtyOptions, ptyAvailable, startOnPty } from "../support/program/pty.ts";
import { startFaultyStore } from "../support/servers/faulty-store.ts";
import { petsFile } from "../support/servers/imports.ts";
import { startTestStore } from "../support/servers/store.ts";

const windowMs = 3000;

/**
 * Adds 30 animals on a terminal to a service that accepts 20 every 3 s. Its clock is stopped until it
 * `goesOn`: however long its start took, the program is seen to wait with all of the 3 s before it.
 */
async function addUntilItWaits(options: PtyOptions, ...args: string[]) {
  let now = Date.UTC(2026, 10, 5, 12);
  const store = await startTestStore({
    plan: "20/3s,5000/1m",
    clock: () => now,
  });
  const file = petsFile(30);
  const command = [script, "add", "--from", file, ...args];
  const pty = await startOnPty([process.execPath, ...command], { ...options, env: envFor(store) });
  const shown = await pty.waitFor(waits);
  const goesOn = (): number => (now += windowMs);
  return { ...pty, file, shown, goesOn };
}

const bar = /\d+\/30/;
const waits = /\u001b\[K(?:\[#+-+\] )?\d+\/30 · [^\r]*next (?:\d+ )?in [1-3] s/;

/** Returns `text` up to the end of the first match of `pattern`. */
function toFirst(pattern: RegExp, text: string): string {
  const found = pattern.exec(text);
  return text.slice(0, (found?.index ?? 0) + (found?.[0].length ?? 0));
}

describe.runIf(ptyAvailable)("a bulk add on a terminal", () => {
  it.each([100, 50])("of %i columns shows a bar, and clears it at the end", async (columns) => {
    const { shown, ended, goesOn } = await addUntilItWaits({ columns, rows: 80 });
    goesOn();
    // As it was at its first wait: what follows may be a line that is only half drawn.
    const screen = await screenLines(toFirst(waits, shown), columns);
    expect(screen.at(-1)).toMatch(/\d+\/30 · [1-9] s left · next (?:\d+ )?in [1-3] s/);
    expect(screen.join("")).toMatch(/\d+ of \d+ requests left; resets at/);
    const { code, output } = await ended;
    expect(code).toBe(0);
    const left = await screenLines(output, columns);
    // The animals are not listed, only counted.
    expect(left.filter((line) => /Pet/.test(line))).toEqual([]);
    expect(left.filter((line) => bar.test(line))).toEqual([]);
    // Notes are wrapped by the terminal; the bar is not.
    expect(left.join("").replaceAll(" ", "")).toMatch(/Added30of30animalsin\d+m?s\.$/);
    // If the first reply is late, a note is written between two bars.
    const drawn = output.split(/\r\u001b\[K|\n/).filter((part) => bar.test(part));
    expect(drawn.length).toBeGreaterThan(1);
    for (const part of drawn) expect(widestLine(part)).toBeLessThan(columns);
  });

  it("that is interrupted says how to continue, and clears the bar", async () => {
    const pty = await addUntilItWaits({ columns: 60, rows: 80 }, "-o", "ndjson");
    pty.type("\u0003");
    const { code, output } = await pty.ended;
    const again = shellCommand(["add", "--from", pty.file, "-o", "ndjson"], process.platform);
    expect(code).toBe(130);
    const lines = await screenLines(output, 2000);
    expect(lines.filter((line) => bar.test(line))).toEqual([]);
    expect(lines.at(-3)).toMatch(/^Added \d+ of 30 animals in .*; \d+ not sent\.$/);
    expect(lines.at(-2)).toBe(`To send the rest: pets ${again}`);
    expect(JSON.parse(lines.at(-1) ?? "").error).toMatchObject({
      code: "interrupted",
      message: expect.stringMatching(/^import stopped with \d+ animals not sent: interrupted$/),
    });
  });

  it("keeps the bar out of a file", async () => {
    const { ended, goesOn } = await addUntilItWaits({ columns: 80, stdoutToFile: true });
    goesOn();
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^LINE +ID +NAME +CATEGORY +STATUS\n(?:\d+ +\d+ +Pet \d+ +\d+\n){30}$/);
  });
});

it("an import with -q prints the format that was asked for", async () => {
  const lab = await startFaultyStore();
  const words = ["add", "--from", petsFile(3), "-q", "-o", "csv"];
  const run = await runInTime(words, { env: envFor(lab) });
  expect(run).toMatchObject({ code: 0, stderr: "" });
  expect(run.stdout).toMatch(/^line,outcome,(?:.*\r\n){4}$/);
});
