import type { Command } from "commander";
import type { Section, Term } from "./blocks.ts";

/** The heading that the parser keeps the options of all commands under. */
const globalOptions = "Global options:";

/** The names that lead to `command`, from the program's own on. */
export function pathOf(command: Command): readonly string[] {
  const above = command.parent === null ? [] : pathOf(command.parent);
  return [...above, command.name()];
}

/** How `command` is written: `pets list [options]`. */
export function usageOf(command: Command): string {
  return `${pathOf(command).join(" ")} ${command.usage()}`;
}

/** What `command` takes: its subcommands, its arguments, its own options, and those of all commands. */
export function sectionsOf(command: Command): readonly Section[] {
  const sections: readonly (readonly [heading: string, terms: readonly Term[]])[] = [
    ["Commands", command.commands.map(commandTerm)],
    ["Arguments", argumentTerms(command)],
    ["Options", optionTerms(command, false)],
    ["Global options", optionTerms(command, true)],
  ];
  return sections
    .filter(([, terms]) => terms.length > 0)
    .map(([heading, terms]) => ({ heading, blocks: [{ terms }] }));
}

/** The options of `command` alone, or those of all commands, and what each does. */
export function optionTerms(command: Command, global: boolean): readonly Term[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ helpGroupHeading }) => (helpGroupHeading === globalOptions) === global)
    .map(({ flags, description }): Term => [flags, description]);
}

/** The arguments of `command` that need a word, and what each is. */
export function argumentTerms(command: Command): readonly Term[] {
  return command.registeredArguments
    .filter(({ description }) => description !== "")
    .map((argument): Term => [argument.name(), argument.description]);
}

/** What is wider than this makes the meanings of all other commands too narrow. */
const widestRest = 20;

/** All commands take options: what is worth telling of its usage in a list is the rest. */
function commandTerm(command: Command): Term {
  const all = command.usage().replace(/^\[options\] ?/, "");
  const rest = all.length > widestRest ? `<${command.registeredArguments[0]?.name()}>` : all;
  return [`${command.name()} ${rest}`.trimEnd(), command.summary()];
}
