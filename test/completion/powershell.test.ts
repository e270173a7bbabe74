import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { hasProgram } from "../support/program/has-program.ts";
import { cases, difference, noDifference } from "./support/cases.ts";
import { completionOf, makeHome } from "./support/shells.ts";

describe("the script of PowerShell", () => {
  it("has balanced quotes, brackets and braces", async () => {
    const code = (await completionOf("powershell")).replace(
      /^\s*#.*$|'(?:[^']|'')*'|"[^"]*"/gm,
      "",
    );
    expect(code).not.toMatch(/['"‘’‚‛“”]/);
    expect(withoutPairs(code.replace(/[^()[\]{}]/g, ""))).toBe("");
  });

  // If a hash table has a key "keys", as that of the commands would, its property Keys is that entry
  // (about_Hash_Tables).
  it("reads the property Keys only of the table of command lines", async () => {
    const code = await completionOf("powershell");
    expect(code).not.toContain("[ordered]");
    expect(code.match(/[$\w]*\.(Keys|Values)\b/g)).toEqual(["$table.Keys"]);
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
