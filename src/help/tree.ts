import type { CommandUnknownOpts } from "@commander-js/extra-typings";

/** Returns a command and all below it, each before its own subcommands. */
export function commandTree(command: CommandUnknownOpts): readonly CommandUnknownOpts[] {
  return [command, ...command.commands.flatMap(commandTree)];
}

/** Returns the words that lead to a command, as in `pets profile use`. */
export function commandPath(command: CommandUnknownOpts): string {
  const { parent } = command;
  return parent === null ? command.name() : `${commandPath(parent)} ${command.name()}`;
}

/** Returns the command that `names` lead to below `program`; undefined if they name none. */
export function findCommand(
  program: CommandUnknownOpts,
  names: readonly string[],
): CommandUnknownOpts | undefined {
  return names.reduce<CommandUnknownOpts | undefined>(
    (above, name) =>
      above?.commands.find((each) => each.name() === name || each.aliases().includes(name)),
    program,
  );
}
