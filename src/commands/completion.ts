import { Argument } from "@commander-js/extra-typings";
import { shells } from "../core/enums.ts";
import { oneOf } from "../core/syntax.ts";
import { parserOf } from "./arguments.ts";
import type { Context } from "./context.ts";
import { newCommand } from "./new-command.ts";

export const completion = (getContext: () => Context) =>
  newCommand("completion", "print a shell completion script", {
    ignoresEnvironment: true,
    examples: ["pets completion bash > ~/.pets.bash", "pets completion zsh > _pets"],
    notes,
  })
    .addArgument(
      new Argument("<shell>", "your shell")
        .choices(shells)
        .argParser(parserOf("the shell", oneOf(shells))),
    )
    .action(async (shell) => {
      const { completionScripts } = await import("../completion/scripts/index.ts");
      await getContext().stdout.write(completionScripts[shell]);
    });

const notes = `The first line enables completion now; the rest, in new shells.

bash (macOS has bash 3.2: use \`eval "$(pets completion bash)"\` instead of \`source …\`):

  source <(pets completion bash)
  echo 'source <(pets completion bash)' >> ~/.bashrc

zsh:

  source <(pets completion zsh)
  echo 'source <(pets completion zsh)' >> ~/.zshrc

Or write the file \`_pets\` in a directory of $fpath: \`pets completion zsh > _pets\`.

fish:

  pets completion fish | source
  mkdir -p ~/.config/fish/completions
  pets completion fish > ~/.config/fish/completions/pets.fish

PowerShell:

  pets completion powershell | Out-String | Invoke-Expression
  if (!(Test-Path $PROFILE)) { New-Item -ItemType File -Force $PROFILE }
  Add-Content $PROFILE 'pets completion powershell | Out-String | iex'

The script asks \`pets\` for what fits at each Tab; that sends no request.`;
