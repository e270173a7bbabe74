import type { Shell } from "../core/enums.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { type CommandModel, type CompletableProgram, completionModel } from "./model.ts";
import { powershellScript } from "./powershell.ts";
import { zshScript } from "./zsh.ts";

const writers: Readonly<Record<Shell, (models: readonly CommandModel[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

/** Returns the completion script of `shell` for all commands of `program`. */
export function completionScript(shell: Shell, program: CompletableProgram): string {
  return writers[shell](completionModel(program));
}
