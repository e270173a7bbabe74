import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { hasProgram } from "../support/program/has-program.ts";
import { cleanEnv, temporaryFolder } from "../support/program/program.ts";
import { completionOf } from "./support/shells.ts";

const folder = path.resolve(import.meta.dirname, "../../src/completion");

describe("the shell code of completion", () => {
  it.each(["bash-runtime.bash", "zsh-runtime.zsh", "fish-runtime.fish", "powershell-runtime.ps1"])(
    "runs pets for profiles whatever the environment: %s",
    (name) => {
      const code = readFileSync(path.join(folder, name), "utf8");
      const cleared = ["API_KEY", "BASE_URL", "MAX_WAIT", "PROFILE", "TIMEOUT"];
      for (const variable of cleared) expect(code).toMatch(new RegExp(`\\bPETS_${variable}\\b`));
      expect(code).toContain("profile list --output tsv --fields name 2>");
    },
  );

  it.for<[name: string, command: readonly string[]]>([
    ["bash-runtime.bash", ["bash", "-n"]],
    ["bash-runtime.bash", ["shellcheck"]],
    ["zsh-runtime.zsh", ["zsh", "-n"]],
    ["fish-runtime.fish", ["fish", "-n"]],
  ])("%s is valid for %j", ([name, [program = "", ...options]], { skip }) => {
    skip(!hasProgram(program), `needs ${program}`);
    expect(complaintsOf(program, [...options, path.join(folder, name)])).toEqual(none);
  });
});

const none = { status: 0, stdout: "", stderr: "" };

/** Returns what `program` says about a file. */
function complaintsOf(program: string, words: readonly string[]) {
  const env = { ...cleanEnv(), LANG: "C.UTF-8" };
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: "utf8", env });
  return { status, stdout, stderr };
}

describe.each([
  ["bash", ["bash", "-n"]],
  ["bash", ["shellcheck"]],
  ["zsh", ["zsh", "-n"]],
  ["fish", ["fish", "-n"]],
])("the script of %s", (shell, [program = "", ...options]) => {
  it.runIf(hasProgram(program))(`is valid for ${program}`, async () => {
    const file = path.join(temporaryFolder(), "script");
    writeFileSync(file, await completionOf(shell));
    expect(complaintsOf(program, [...options, file])).toEqual(none);
  });
});
