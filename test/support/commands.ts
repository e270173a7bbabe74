import { Command } from "commander";
import { commands } from "../../src/commands/index.ts";

/** Every command with its flags and subcommands, without what they run and the global options. */
function definedCommands(): Command {
  const root = new Command("pets").helpCommand(false);
  for (const definition of commands) {
    definition.configure(root.command(definition.name), () => () => {});
  }
  return root;
}

/** The words that lead to each command and subcommand; none for pets itself. */
export function commandPaths(): readonly (readonly string[])[] {
  return pathsFrom(definedCommands(), []);
}

function pathsFrom(command: Command, path: readonly string[]): readonly (readonly string[])[] {
  const below = command.commands.flatMap((child) => pathsFrom(child, [...path, child.name()]));
  return [path, ...below];
}
