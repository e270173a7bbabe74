import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { addGlobalOptions, isGlobal } from "../../../src/config/settings.ts";
import { commandTree } from "../../../src/help/tree.ts";

/** Returns a program whose only command is `create()`; it throws the errors of commander, and prints nothing. */
export function programWith(create: () => CommandUnknownOpts): CommandUnknownOpts {
  const root = new Command("pets").addCommand(create());
  addGlobalOptions(root);
  for (const command of commandTree(root))
    command.exitOverride().configureOutput({ outputError: () => {} });
  return root;
}

/** Returns the options of a command as `words` give them, without the global ones. Throws commander's error. */
export function readTyped(create: () => CommandUnknownOpts, words: readonly string[]): object {
  const root = programWith(create);
  const [command] = root.commands;
  if (command === undefined) throw new Error("no command was made");
  root.parse([command.name(), ...words], { from: "user" });
  const own = command.options.filter((option) => !isGlobal(option));
  const values = own.map((option) => [
    option.attributeName(),
    command.getOptionValue(option.attributeName()),
  ]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}
