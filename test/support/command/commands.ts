import { pets } from "../../../src/cli/pets.ts";
import type { CommandDefinition } from "../../../src/commands/command.ts";

/** Returns every command and subcommand by its words: `profile use`, and none for pets itself. */
export function commandsByPath(): ReadonlyMap<string, CommandDefinition> {
  return new Map(below(pets, []));
}

function below(
  command: CommandDefinition,
  path: readonly string[],
): readonly [string, CommandDefinition][] {
  const children = command.subcommands ?? [];
  return [
    [path.join(" "), command],
    ...children.flatMap((child) => below(child, [...path, child.name])),
  ];
}
