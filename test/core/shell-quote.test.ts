import { spawnSync } from "node:child_process";
import { array, assert, oneof, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { singleQuote } from "../../src/core/shell-quote.ts";
import { hasShell } from "../completion/support/shells.ts";
import { cleanEnv } from "../support/program/program.ts";

const shells = [
  ["bash", ["--norc", "--noprofile", "-c"]],
  ["zsh", ["-f", "-c"]],
] as const;

const odd = [
  "",
  "'",
  "\\",
  "\\'",
  "'\\",
  "it's",
  "$(id)",
  "`id`",
  "!x",
  "a\nb",
  "±",
  "‘’",
  "-n",
  "%s",
  "\\n",
];
const anyText = oneof(
  string({ unit: "binary", maxLength: 40 }),
  string({ unit: "grapheme-ascii", maxLength: 40 }),
).filter((text) => !text.includes("\0") && text.isWellFormed());

/** Returns what a shell reads from each of `texts`, quoted. */
function printed(
  [shell, options]: Readonly<(typeof shells)[number]>,
  texts: readonly string[],
): readonly string[] {
  const code = texts.map((text) => `printf '%s\\0' ${singleQuote(text)}`).join("\n");
  const { stdout } = spawnSync(shell, [...options, code], {
    encoding: "utf8",
    env: { ...cleanEnv(), LANG: "C.UTF-8" },
  });
  return stdout.split("\0").slice(0, -1);
}

describe.each(shells.map((shell) => ({ name: shell[0], shell })))(
  "a word quoted for $name",
  ({ name, shell }) => {
    it.runIf(hasShell(name))("is read back unchanged, whatever it contains", () => {
      expect(printed(shell, odd)).toEqual(odd);
      const many = array(anyText, { minLength: 100, maxLength: 200 });
      assert(
        property(many, (texts) => {
          expect(printed(shell, texts)).toEqual(texts);
        }),
        { numRuns: 3 },
      );
    });
  },
);
