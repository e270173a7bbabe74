import { spawnSync } from "node:child_process";
import { sample, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { quoteForFish, quoteForPosix, quoteForPowerShell } from "../../src/completion/quote.ts";
import { hasShell } from "./support/shells.ts";

const shells = [
  ["bash", ["--norc", "--noprofile", "-c"], quoteForPosix],
  ["zsh", ["-f", "-c"], quoteForPosix],
  ["fish", ["--no-config", "-c"], quoteForFish],
] as const;

const texts = [
  [
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
  ],
  sample(string({ unit: "binary", maxLength: 40 }), 300),
  sample(string({ unit: "grapheme-ascii", maxLength: 40 }), 300),
]
  .flat()
  .filter((text) => !text.includes("\0") && text.isWellFormed());

describe.each(shells)("a word quoted for %s", (shell, options, quote) => {
  it.runIf(hasShell(shell))("is itself to the shell, whatever it is", () => {
    const code = texts.map((text) => `printf '%s\\0' ${quote(text)}`).join("\n");
    const { stdout } = spawnSync(shell, [...options, code], { encoding: "utf8" });
    expect(stdout.split("\0").slice(0, -1)).toEqual(texts);
  });
});

describe("a string quoted for PowerShell", () => {
  // PowerShell's own rule: a string ends at a single quote of any kind that is not doubled.
  it.each(texts)("%j ends where it ends, and is itself", (text) => {
    const quoted = quoteForPowerShell(text);
    const [, inside] = /^'((?:[^'‘’‚‛]|['‘’‚‛]{2})*)'$/s.exec(quoted) ?? [];
    expect(inside?.replace(/(['‘’‚‛])['‘’‚‛]/g, "$1")).toBe(text);
  });
});
