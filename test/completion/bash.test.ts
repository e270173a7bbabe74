import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ptyAvailable } from "../support/program/pty.ts";
import { hasShell, makeHome, startTabShell, type TabShell } from "./support/shells.ts";
import { typedAlike } from "./support/typed-alike.ts";

const available = hasShell("bash") && ptyAvailable;

/** Starts bash with the lines `before` and `after` the completion in its start-up file. */
async function startBash(before = "", after = ""): Promise<TabShell> {
  const home = await makeHome();
  const rc = path.join(home.folder, "../rc");
  writeFileSync(
    rc,
    `${before}
source <(pets completion bash)
${after}
_line() { printf '%s\\n' "$READLINE_LINE" >"$OUT.part" && mv "$OUT.part" "$OUT.line"; }
_probe() { _pets "$@"; printf '%s\\n' "\${COMPREPLY[@]-}" >"$OUT.offers"; }
complete -o default -F _probe pets
bind 'set bell-style none'
bind -x '"\\C-g": _line'
PS1='READY>'
`,
  );
  return startTabShell(["bash", "--noprofile", "--rcfile", rc, "-i"], home, {});
}

describe.runIf(available)("bash", () => {
  let shell: TabShell;
  beforeAll(async () => void (shell = await startBash()));
  afterAll(() => shell.end());

  it("shows all that fits", async () => {
    const { offers } = await shell.tab("pets list --status ");
    expect(offers.toSorted()).toEqual(["available", "pending", "sold"]);
  });

  it.each<readonly [string, string]>([
    ...typedAlike,
    ['pets list --status "av', 'pets list --status "available" '],
    ["pets add --from 'sh", "pets add --from 'shelter one.csv' "],
    ["pets list >z", "pets list >zoo.ndjson "],
    ["pets list 2>zoo.ndjson --st", "pets list 2>zoo.ndjson --status "],
    ["pets list > zoo.ndjson --st", "pets list > zoo.ndjson --status "],
    ["A=1 pets comp", "A=1 pets completion "],
    ["pets list | pets add --fr", "pets list | pets add --from "],
  ])("%s becomes %s", async (line, after) => {
    expect((await shell.tab(line)).line).toBe(after);
  });
});

const lines = [
  ["pets list --status=av", "pets list --status=available "],
  ["pets --profile sta", "pets --profile staging "],
] as const;

describe.runIf(available)("bash with", () => {
  it.each([
    ["set -u", "set -u", ""],
    ["set -e, pipefail and a trap", "", "set -eE -o pipefail; trap 'exit 3' ERR"],
    ["posix", "", "set -o posix"],
    [
      "aliases",
      "alias local='false' printf='false' complete='echo' return='exit' shopt=false",
      "unalias -a",
    ],
    ["= no end of a word", "", "COMP_WORDBREAKS=${COMP_WORDBREAKS//=}"],
    [
      "wrong settings",
      "export PETS_BASE_URL=x PETS_PROFILE='a b' PETS_TIMEOUT=x PETS_OUTPUT=x",
      "",
    ],
  ])("%s", async (_name, before, after) => {
    const shell = await startBash(before, after);
    for (const [line, wanted] of lines) expect((await shell.tab(line)).line).toBe(wanted);
    await shell.end();
  });

  it.each([
    ["no pets on its path", "PATH=/usr/bin:/bin"],
    ["a damaged profile file", 'echo nonsense >"$HOME/.config/pets/config.json"'],
  ])("%s offers no profile, and prints nothing", async (_name, after) => {
    const shell = await startBash("", after);
    const before = shell.pty.output;
    expect(await shell.tab("pets --profile ")).toEqual({ offers: [], line: "pets --profile " });
    const shown = shell.pty.output.slice(before.length);
    expect(shown.replaceAll(/READY>|pets --profile|\s/g, "")).toBe("");
    await shell.end();
  });
});
