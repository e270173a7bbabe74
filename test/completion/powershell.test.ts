import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { completionScripts } from "../../src/completion/scripts/index.ts";
import { hasProgram } from "../support/program/has-program.ts";
import { cases, difference, noDifference } from "./support/cases.ts";
import { makeHome } from "./support/shells.ts";

describe("the script of PowerShell", () => {
  it("has balanced quotes, brackets and braces", () => {
    const code = completionScripts.powershell.replace(/^\s*#.*$|'(?:[^']|'')*'|"[^"]*"/gm, "");
    expect(code).not.toMatch(/['"‘’‚‛“”]/);
    expect(withoutPairs(code.replace(/[^()[\]{}]/g, ""))).toBe("");
  });

  it.runIf(hasProgram("pwsh"))("offers the same as the other shells", async () => {
    const home = await makeHome();
    for (const wanted of cases) {
      const code = `pets completion powershell | Out-String | Invoke-Expression
[Console]::OutputEncoding = [System.Text.Encoding]::UTF8
$line = $env:LINE
([System.Management.Automation.CommandCompletion]::CompleteInput($line, $line.Length, $null)).CompletionMatches |
  ForEach-Object { $_.ListItemText }`;
      const { stdout } = spawnSync("pwsh", ["-NoProfile", "-Command", code], {
        env: { ...home.env, LINE: wanted.line },
        cwd: home.folder,
        encoding: "utf8",
      });
      expect
        .soft([wanted.line, difference(wanted, stdout.split("\n"))])
        .toEqual([wanted.line, noDifference]);
    }
    home.remove();
  });
});

/** Returns the brackets of a text without balanced pairs. */
function withoutPairs(brackets: string): string {
  const left = brackets.replaceAll(/\(\)|\[\]|\{\}/g, "");
  return left === brackets ? left : withoutPairs(left);
}
