import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ptyAvailable } from "../support/program/pty.ts";
import { hasShell, makeHome, startTabShell, type TabShell } from "./support/shells.ts";
import { typedAlike } from "./support/typed-alike.ts";

const available = hasShell("zsh") && ptyAvailable;

const probe = `
compadd() {
  local -a found
  [[ " \${@[1,(i)--]} " == *" -"[OAD]" "* ]] || builtin compadd -A found "$@"
  print -rl -- $found >>"$OUT.offers"
  builtin compadd "$@"
}
_line() { print -r -- "$BUFFER" >"$OUT.part" && command mv "$OUT.part" "$OUT.line"; }
zle -N _line
bindkey -e
bindkey '^G' _line
bindkey '^U' kill-whole-line
bindkey '^I' complete-word
setopt no_beep no_list_beep
PS1='READY>'
`;

const sourced = "autoload -Uz compinit && compinit -u -D && source <(pets completion zsh)";

/** Starts zsh with `lines` in its start-up file, which must set up the completion. */
async function startZsh(lines = sourced): Promise<TabShell> {
  const home = await makeHome();
  const folder = path.join(home.folder, "../zsh");
  mkdirSync(folder);
  writeFileSync(path.join(folder, ".zshrc"), `${lines}\n${probe}`);
  // With an absolute path, compinit of zsh 5.9 fails if that contains certain characters ("✓").
  return startTabShell(["zsh", "-d", "-i"], home, { ZDOTDIR: "../zsh" });
}

describe.runIf(available)("zsh", () => {
  let shell: TabShell;
  beforeAll(async () => void (shell = await startZsh()));
  afterAll(() => shell.end());

  it("shows all that fits", async () => {
    const { offers } = await shell.tab("pets list --status ");
    expect(offers.toSorted()).toEqual(["available", "pending", "sold"]);
  });

  it.each<readonly [string, string]>([
    ...typedAlike,
    ["pets list | pets add --fr", "pets list | pets add --from "],
  ])("%s becomes %s", async (line, after) => {
    expect((await shell.tab(line)).line).toBe(after);
  });

  it("describes each candidate", async () => {
    // Types nothing before the list is shown: zsh lists nothing while there is input to read.
    shell.pty.type("pets keys \t");
    await shell.pty.waitFor("revoke a key");
    expect(shell.pty.output).toContain("revoke a key");
  });
});

const lines = [
  ["pets list --status=av", "pets list --status=available "],
  ["pets --profile sta", "pets --profile staging "],
] as const;
const inFolder = `mkdir ~/functions; pets completion zsh > ~/functions/_pets
fpath=(~/functions $fpath); autoload -Uz compinit && compinit -u -D`;

describe.runIf(available)("zsh with", () => {
  it.each([
    ["the file _pets in fpath", inFolder],
    ["no compinit before", "source <(pets completion zsh)"],
    ["such options before", `setopt ksharrays shwordsplit globsubst; ${sourced}; IFS=aepst`],
    [
      "aliases",
      `${sourced.replace("&& source", "&& alias local=false shift=false -g _pets_at=x; source")}; unalias -a`,
    ],
    ["wrong settings", `export PETS_BASE_URL=x PETS_PROFILE='a b' PETS_OUTPUT=x; ${sourced}`],
  ])("%s", async (_name, start) => {
    const shell = await startZsh(start);
    for (const [line, wanted] of lines) expect((await shell.tab(line)).line).toBe(wanted);
    await shell.end();
  });

  it.each([
    ["no pets on its path", "path=(/usr/bin /bin)"],
    ["a damaged profile file", 'echo nonsense >"$HOME/.config/pets/config.json"'],
  ])("%s offers no profile, and prints nothing", async (_name, after) => {
    const shell = await startZsh(`${sourced}; ${after}`);
    expect(await shell.tab("pets --profile ")).toEqual({ offers: [], line: "pets --profile " });
    expect(shell.pty.output).not.toMatch(/nonsense|not found|damaged/);
    await shell.end();
  });
});
