import type { Command } from "commander";
import type { Shell } from "../core/enums.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { type CommandModel, completionModel, type Described } from "./model.ts";
import { powershellScript } from "./powershell.ts";
import { zshScript } from "./zsh.ts";

const writers: Readonly<Record<Shell, (models: readonly CommandModel[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

/** The completion script of `shell` for all commands below `root`; `topics` are those of `help`. */
export function completionScript(
  shell: Shell,
  root: Command,
  topics: readonly Described[],
): string {
  return writers[shell](completionModel(root, topics));
}
