import { type Shell, shells } from "../core/enums.ts";
import type { Context } from "./context.ts";
import { usageFailure } from "../core/errors.ts";
import { oneOf } from "../completion/values.ts";
import type { CommandDefinition } from "./command.ts";

export const completion: CommandDefinition = {
  name: "completion",
  summary: "print a shell completion script",
  usage: `[options] ${shells.join("|")}`,
  arguments: [{ syntax: "[shell]", values: oneOf("shells", shells) }],
  notes: [
    "First line: this shell only. Then: every new shell.",
    'bash (macOS has bash 3.2: use `eval "$(pets completion bash)"` instead of `source …`):',
    {
      lines: [
        "source <(pets completion bash)",
        "echo 'source <(pets completion bash)' >> ~/.bashrc",
      ],
    },
    "zsh:",
    {
      lines: ["source <(pets completion zsh)", "echo 'source <(pets completion zsh)' >> ~/.zshrc"],
    },
    "Or write the file `_pets` in a folder of $fpath: `pets completion zsh > _pets`.",
    "fish:",
    {
      lines: [
        "pets completion fish | source",
        "mkdir -p ~/.config/fish/completions",
        "pets completion fish > ~/.config/fish/completions/pets.fish",
      ],
    },
    "PowerShell:",
    {
      lines: [
        "pets completion powershell | Out-String | Invoke-Expression",
        "if (!(Test-Path $PROFILE)) { New-Item -ItemType File -Force $PROFILE }",
        "Add-Content $PROFILE 'pets completion powershell | Out-String | iex'",
      ],
    },
    "The script runs pets only to complete profile names.",
  ],
  examples: [
    {
      line: "pets completion bash > ~/.pets.bash",
      afterwards: { "cat ~/.pets.bash": /^# bash completion for pets/ },
    },
    { line: "pets completion zsh > _pets", files: { _pets: /^#compdef pets\n/ } },
  ],
  skipSettings: true,
  run: runCompletion,
};

/** Prints the script for the shell called `text`. Throws a usage Failure. */
async function runCompletion(
  { stdout, commandLine }: Context,
  text: string | undefined,
): Promise<void> {
  const shell = await parseShell(text);
  const { completionScript } = await import("../completion/index.ts");
  await stdout.write(completionScript(shell, commandLine));
}

async function parseShell(text: string | undefined): Promise<Shell> {
  const found = shells.find((shell) => shell === text);
  if (found !== undefined) return found;
  const allowed = `one of ${shells.join(", ")}`;
  if (text === undefined)
    throw usageFailure(
      `SHELL is missing: name ${allowed}`,
      "for example `pets completion bash`; `echo $0` prints the current shell",
      "see `pets completion --help`",
    );
  const { closestMatch } = await import("../core/strings.ts");
  const meant = text === "pwsh" ? "powershell" : closestMatch(text, shells);
  throw usageFailure(
    `SHELL must be ${allowed}, not ${JSON.stringify(text)}`,
    `did you mean ${meant}?`,
  );
}
