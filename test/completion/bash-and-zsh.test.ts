import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasProgram } from "../support/program/has-program.ts";
import { ptyAvailable } from "../support/program/pty.ts";
import { makeHome, startTabShell, type TabShell } from "./support/shells.ts";

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

const zshProbe = `
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
const sourced = "source <(pets completion zsh)";
/** With what a first zsh has found, which takes two seconds of CPU time. */
const dump = path.join(mkdtempSync(path.join(tmpdir(), "pets-zsh-")), "dump");
const ownInit = "autoload -Uz compinit && compinit -u -D";
const init = `autoload -Uz compinit && compinit -u -d ${dump}`;

/** Starts zsh with the lines `before` and `after` those that set up the completion in its start-up file. */
async function startZsh(
  before = "",
  after = "",
  setUp = `${init} && ${sourced}`,
): Promise<TabShell> {
  const home = await makeHome();
  const folder = path.join(home.folder, "../zsh");
  mkdirSync(folder);
  writeFileSync(path.join(folder, ".zshrc"), `${before}\n${setUp}\n${after}\n${zshProbe}`);
  // With an absolute path, compinit of zsh 5.9 fails if that contains certain characters ("✓").
  return startTabShell(["zsh", "-d", "-i"], home, { ZDOTDIR: "../zsh" });
}

const alike: readonly (readonly [typed: string, line: string])[] = [
  ["pets comp", "pets completion "],
  ["pets list --status=av", "pets list --status=available "],
  ["pets list --fields id,na", "pets list --fields id,name "],
  ["pets list --fields=id,st", "pets list --fields=id,status "],
  ["pets keys add --fields ap", "pets keys add --fields apiKey "],
  ["pets add --from sh", "pets add --from shelter\\ one.csv "],
  ["pets add --from=sh", "pets add --from=shelter\\ one.csv "],
  ["pets add --name sh", "pets add --name sh"],
  ["pets serve --seed z", "pets serve --seed zoo.ndjson "],
  ["pets list > z", "pets list > zoo.ndjson "],
  ["pets serve -- cat z", "pets serve -- cat zoo.ndjson "],
  ["pets serve mkfif", "pets serve mkfif"],
  ["pets list | pets add --fr", "pets list | pets add --from "],
];
const bashAlone: typeof alike = [
  ['pets list --status "av', 'pets list --status "available" '],
  ["pets add --from 'sh", "pets add --from 'shelter one.csv' "],
  ["pets list >z", "pets list >zoo.ndjson "],
  ["pets list 2>zoo.ndjson --st", "pets list 2>zoo.ndjson --status "],
  ["pets list > zoo.ndjson --st", "pets list > zoo.ndjson --status "],
  ["A=1 pets comp", "A=1 pets completion "],
];
const wrongSettings = "export PETS_BASE_URL=x PETS_PROFILE='a b' PETS_TIMEOUT=x PETS_OUTPUT=x";

const shells = [
  {
    name: "bash",
    start: startBash,
    completed: [...alike, ...bashAlone],
    settings: [
      ["set -u", "set -u", ""],
      ["set -e, pipefail and a trap", "", "set -eE -o pipefail; trap 'exit 3' ERR"],
      ["posix", "", "set -o posix"],
      ["aliases", "alias local=false printf=false complete=echo return=exit", "unalias -a"],
      ["= no end of a word", "", "COMP_WORDBREAKS=${COMP_WORDBREAKS//=}"],
      ["wrong settings", wrongSettings, ""],
    ],
  },
  {
    name: "zsh",
    start: startZsh,
    completed: alike,
    settings: [
      ["the file _pets in fpath", "pets completion zsh > ~/_pets; fpath=(~ $fpath)", "", ownInit],
      ["no compinit before", "", "", sourced],
      ["such options before", "setopt ksharrays shwordsplit globsubst", "IFS=aepst"],
      ["aliases", `${init} && alias local=false -g _pets_at=x`, "unalias -a", sourced],
      ["wrong settings", wrongSettings, ""],
    ],
  },
] as const;

for (const { name, start, completed, settings } of shells) {
  describe.runIf(hasProgram(name) && ptyAvailable)(`completion in ${name}`, () => {
    let shell: TabShell;
    beforeAll(async () => void (shell = await start()));
    afterAll(() => shell.end());

    it("shows all that fits", async () => {
      const { offers } = await shell.tab("pets list --status ");
      expect(offers.toSorted()).toEqual(["available", "pending", "sold"]);
    });

    it.each(completed)("%s becomes %s", async (line, after) => {
      expect((await shell.tab(line)).line).toBe(after);
    });

    it.runIf(name === "zsh")("describes each candidate", async () => {
      // Types nothing before the list is shown: zsh lists nothing while there is input to read.
      shell.pty.type("pets keys \t");
      await shell.pty.waitFor("revoke a key");
      expect(shell.pty.output).toContain("revoke a key");
    });

    it.each<readonly [string, string, string, string?]>(settings)(
      "completes with %s",
      async (_what, ...lines) => {
        const other = await start(...lines);
        for (const [line, wanted] of [
          ["pets list --status=av", "pets list --status=available "],
          ["pets --profile sta", "pets --profile staging "],
        ] as const)
          expect((await other.tab(line)).line).toBe(wanted);
        await other.end();
      },
    );

    it.each([
      ["no pets on its path", "PATH=/usr/bin:/bin"],
      ["a damaged profile file", 'echo nonsense >"$HOME/.config/pets/config.json"'],
    ])("with %s offers no profile, and prints nothing", async (_name, after) => {
      const other = await start("", after);
      const before = other.pty.output;
      expect(await other.tab("pets --profile ")).toEqual({ offers: [], line: "pets --profile " });
      const shown = other.pty.output.slice(before.length);
      expect(shown).not.toMatch(/nonsense|not found|damaged/);
      // Zsh draws its line with more than that.
      const rest = shown.replaceAll(/READY>|pets --profile|\s/g, "");
      expect(name === "bash" ? rest : "").toBe("");
      await other.end();
    });
  });
}
