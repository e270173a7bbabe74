import type { Block } from "./blocks.ts";

/** How to install what `pets completion` prints. */
export const completionNotes: readonly Block[] = [
  "The first line of each is for the shell that runs, what follows it for all to come.",
  'bash (on macOS, whose own is old, with `eval "$(pets completion bash)"` in both):',
  {
    lines: ["source <(pets completion bash)", "echo 'source <(pets completion bash)' >> ~/.bashrc"],
  },
  "zsh:",
  {
    lines: ["source <(pets completion zsh)", "echo 'source <(pets completion zsh)' >> ~/.zshrc"],
  },
  "Or as a file `_pets` in a folder of $fpath: `pets completion zsh > _pets` there.",
  "fish:",
  {
    lines: [
      "pets completion fish | source",
      "echo 'pets completion fish | source' >> ~/.config/fish/config.fish",
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
  "At Tab the script runs pets only for the names of profiles.",
];
