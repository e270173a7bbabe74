import type { Command, CommanderError } from "commander";
import type { CommandDefinition } from "../commands/command.ts";
import type { TypedOptions } from "../config/settings.ts";
import { formsOf, type OptionDefinition } from "../core/command-line.ts";
import { globalOptions, helpFlags, versionFlags } from "./pets.ts";
import { readInput } from "./read-input.ts";

/** Called when the parser found a command; `input` parses what was typed for it. */
export type OnCommand = (found: {
  readonly definition: CommandDefinition;
  readonly command: Command;
  readonly input: () => Promise<object>;
}) => void;

/** Adds the command that `definition` declares, with its subcommands, to `parent`. */
export function addCommand(
  parent: Command,
  definition: CommandDefinition,
  onCommand: OnCommand,
): void {
  const { name, aliases = [], isDefault = false, options = [], subcommands = [] } = definition;
  const command = parent.command(name, { isDefault }).aliases(aliases);
  for (const { syntax } of definition.arguments ?? []) command.argument(syntax);
  for (const option of options) addOption(command, option);
  for (const child of subcommands) addCommand(command, child, onCommand);
  if (definition.run === undefined) return;
  command.action(() => {
    const typed = { arguments: command.processedArgs, options: command.opts() };
    onCommand({ definition, command, input: () => readInput(definition, typed) });
  });
}

function addOption(command: Command, option: OptionDefinition): void {
  const { flags, description, repeats, once, formerly } = option;
  const forms =
    formerly === undefined ? [flags] : [flags, flags.replace(formsOf(option).long, formerly)];
  for (const form of forms)
    if (repeats || once) command.option(form, description, appendValue);
    else command.option(form, description);
}

/** Collects the values of an option that is typed more than once. */
const appendValue = (value: string, earlier: readonly string[] = []): readonly string[] => [
  ...earlier,
  value,
];

/** Returns the options that were typed at `command` and above it; the nearest to the command wins. */
export function explicitOptions(command: Command): TypedOptions {
  const above = command.parent === null ? {} : explicitOptions(command.parent);
  return { ...above, ...explicitOptionsOf(command) };
}

/**
 * Returns the options that were typed anywhere in a command line, even if the parser refused it. The
 * value of another option (`--name --json`) does not count.
 */
export function explicitOptionsBelow(command: Command): TypedOptions {
  return Object.assign(explicitOptionsOf(command), ...command.commands.map(explicitOptionsBelow));
}

/** Returns the command below `root` that the arguments lead to, as far as they name commands. */
export function resolvedCommand(root: Command): Command {
  const [word] = root.args;
  const next = root.commands.find((command) =>
    [command.name(), ...command.aliases()].includes(word ?? ""),
  );
  return next === undefined ? root : resolvedCommand(next);
}

function explicitOptionsOf(command: Command): TypedOptions {
  const typed = Object.entries(command.opts()).filter(
    ([name]) => command.getOptionValueSource(name) === "cli",
  );
  return Object.fromEntries(typed);
}

/** Commander's codes for requested help or version. */
const helpCodes = new Set(["commander.help", "commander.helpDisplayed", "commander.version"]);

/** Returns whether commander threw this because help or the version was requested. */
export function isTextRequest(error: CommanderError): boolean {
  return helpCodes.has(error.code);
}

/**
 * Gives `command` and all below it the global options. Every command gets them, rather than the
 * root alone: the root would take `--json` in `pets add --name --json` for its own.
 */
export function addGlobalOptions(command: Command, version: string): void {
  command.enablePositionalOptions();
  for (const { flags, description } of globalOptions) {
    if (flags === versionFlags) command.version(version, flags, description);
    else if (flags === helpFlags) command.helpOption(flags, description);
    else command.option(flags, description);
  }
  for (const child of command.commands) addGlobalOptions(child, version);
}
