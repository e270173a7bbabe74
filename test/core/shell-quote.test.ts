import { spawnSync } from "node:child_process";
import { array, assert, constantFrom, oneof, property, string } from "fast-check";
import { expect, it } from "vitest";
import { shellCommand, singleQuote } from "../../src/core/shell-quote.ts";
import { hasProgram } from "../support/program/has-program.ts";
import { cleanEnv } from "../support/program/program.ts";

const shells = [
  ["bash", ["--norc", "--noprofile", "-c"]],
  ["zsh", ["-f", "-c"]],
] as const;

const odd = ["", ..."' \\ \\' '\\ it's $(id) `id` !x a\nb ± ‘’ -n %s \\n".split(" ")];
const anyText = oneof(
  string({ unit: "binary", maxLength: 40 }),
  string({ unit: "grapheme-ascii", maxLength: 40 }),
).filter((text) => !text.includes("\0") && text.isWellFormed());

/** Returns what a shell reads from each of `texts`, quoted. */
function printed(
  shell: string,
  options: readonly string[],
  texts: readonly string[],
): readonly string[] {
  const code = texts.map((text) => `printf '%s\\0' ${singleQuote(text)}`).join("\n");
  const { stdout } = spawnSync(shell, [...options, code], {
    encoding: "utf8",
    env: { ...cleanEnv(), LANG: "C.UTF-8" },
  });
  return stdout.split("\0").slice(0, -1);
}

it.each(shells.filter(([shell]) => hasProgram(shell)))(
  "a word quoted for %s is read back unchanged, whatever it contains",
  (shell, options) => {
    expect(printed(shell, options, odd)).toEqual(odd);
    const many = array(anyText, { minLength: 100, maxLength: 200 });
    assert(
      property(many, (texts) => {
        expect(printed(shell, options, texts)).toEqual(texts);
      }),
      { numRuns: 3 },
    );
  },
);

it.each([
  ["a.csv", "linux", "a.csv"],
  ["", "linux", "''"],
  ["~/a;rm", "darwin", "'~/a;rm'"],
  ["a\nb1", "linux", "$'a\\x0Ab1'"],
  ["a b", "win32", '"a b"'],
])("%j is in a command on %s %s", (word, platform, text) => {
  expect(shellCommand([word], platform)).toBe(text);
});

it("a command keeps every word, and contains no invisible character", () => {
  const mixed = string({
    unit: constantFrom("\n", "\x1b", "'", "\\", "\u202e", "1", "é", "$", '"'),
  });
  const many = array(oneof(anyText, mixed), { minLength: 200, maxLength: 300 });
  assert(
    property(many, (words) => {
      const text = shellCommand(words, "linux");
      expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
      const read = spawnSync("bash", ["-c", `printf '%s\\0' ${text}`], { encoding: "utf8" }).stdout;
      expect(read.split("\0").slice(0, -1)).toEqual(words);
    }),
    { numRuns: 2 },
  );
});
