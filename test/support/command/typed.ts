import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Context } from "../../../src/commands/context.ts";
import { noContext } from "../../../src/commands/index.ts";
import { addGlobalOptions, isGlobal } from "../../../src/config/settings.ts";
import { commandTree } from "../../../src/help/tree.ts";

/** Returns a command that runs in the context that is returned to it. */
export type CreateCommand = (getContext: () => Context) => CommandUnknownOpts;

/** Returns a program whose only command is the one that `create` returns. */
export function programWith(
  create: CreateCommand,
  getContext: () => Context = noContext,
): CommandUnknownOpts {
  const root = new Command("pets").addCommand(create(getContext));
  addGlobalOptions(root);
  return root;
}

/** Returns the options of a command as `words` give them, without the global ones. Throws commander's error. */
export function readTyped(create: CreateCommand, words: readonly string[]): object {
  const root = programWith(create);
  for (const each of commandTree(root))
    each.exitOverride().configureOutput({ outputError: () => {} });
  const [command] = root.commands;
  if (command === undefined) throw new Error("no command was made");
  command.action(() => {});
  root.parse([command.name(), ...words], { from: "user" });
  const own = command.options.filter((option) => !isGlobal(option));
  const values = own.map((option) => [
    option.attributeName(),
    command.getOptionValue(option.attributeName()),
  ]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}
