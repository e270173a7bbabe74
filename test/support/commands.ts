import type { Command } from "commander";
import { buildProgramForDocs } from "../../src/cli/program.ts";

/** Every command and subcommand, by the words that lead to it: `profile use`, and none for pets itself. */
export function commandsByPath(): ReadonlyMap<string, Command> {
  return new Map(below(buildProgramForDocs("1.2.3"), []));
}

function below(command: Command, path: readonly string[]): readonly [string, Command][] {
  const children = command.commands.flatMap((child) => below(child, [...path, child.name()]));
  return [[path.join(" "), command], ...children];
}
