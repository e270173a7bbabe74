import { oneOf } from "../core/command-line.ts";
import { type Shell, shells } from "../core/enums.ts";
import { usageFailure } from "../core/errors.ts";
import { parseChoice } from "../core/strings.ts";
import { defineCommand } from "./command.ts";
import type { Context } from "./context.ts";

export const completion = defineCommand({
  name: "completion",
  summary: "print a shell completion script",
  usage: `[options] ${shells.join("|")}`,
  arguments: [{ syntax: "[shell]", values: oneOf(shells), parse: parseShell }],
  notes: [
    "The first line enables completion now; the rest, in new shells.",
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
    "Or write the file `_pets` in a directory of $fpath: `pets completion zsh > _pets`.",
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
    "The script asks `pets` for what fits at each Tab; that sends no request.",
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
});

/** Prints the script for a shell. Throws a usage Failure. */
async function runCompletion(
  { stdout }: Context,
  { shell }: { readonly shell?: Shell },
): Promise<void> {
  if (shell === undefined)
    throw usageFailure(
      `<shell> is missing: name one of ${shells.join(", ")}`,
      "for example `pets completion bash`; `echo $0` prints the current shell",
      "see `pets completion --help`",
    );
  const { completionScripts } = await import("../completion/scripts/index.ts");
  await stdout.write(completionScripts[shell]);
}

/** Returns the shell that `text` names. PowerShell 7 is also known as pwsh. */
function parseShell(text: string, name: string): Shell {
  return parseChoice(text, shells, name, text === "pwsh" ? "powershell" : text);
}
