import type { Argument, Command, Option } from "commander";
import {
  argumentSources,
  fieldSources,
  optionSources,
  repeated,
  type ValueKind,
} from "./values.ts";

/** A word to offer, and what it means, in a line. */
export interface Described {
  readonly name: string;
  readonly description: string;
}

/** An option: `long` and `short` with their dashes. */
export interface OptionModel {
  readonly long: string;
  readonly short: string | undefined;
  readonly description: string;
  /** What its value may be; undefined for a flag. */
  readonly value: ValueKind | undefined;
  /** Whether it may be given again. */
  readonly repeats: boolean;
}

/** A command, and what may follow it. */
export interface CommandModel {
  /** The words that lead to it, `pets` first. */
  readonly path: string;
  readonly subcommands: readonly Described[];
  readonly options: readonly OptionModel[];
  /** What its argument may be; undefined where it takes none. */
  readonly argument: ValueKind | undefined;
}

/**
 * All commands below `root`, and itself, first. `topics` are what `help` knows beside commands. Throws
 * a RangeError where a definition has something that the tables of `sources` don't know.
 */
export function completionModel(root: Command, topics: readonly Described[]): CommandModel[] {
  return [root, ...descendants(root)].flatMap((command) => {
    const model = commandModel(command);
    return command.name() === "help" ? helpModels(model, root, topics) : [model];
  });
}

/** All distinct sources that have words, in the order in which they are met. */
export function wordSources(models: readonly CommandModel[]) {
  const met = models.flatMap(({ options, argument }) => [
    ...options.map(({ value }) => value),
    argument,
  ]);
  return [...new Set(met)].filter((source) => source?.kind === "words" || source?.kind === "list");
}

function descendants(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...descendants(child)]);
}

function commandModel(command: Command): CommandModel {
  const words = wordsOf(command);
  const own = command.createHelp().visibleOptions(command);
  const ofDefault = defaultOf(command)?.options ?? [];
  const others = ofDefault.filter(({ long }) => !own.some((option) => option.long === long));
  const [argument, ...more] = command.registeredArguments;
  if (more.length > 0) throw new RangeError(`pets ${words.join(" ")} has several arguments`);
  return {
    path: ["pets", ...words].join(" "),
    subcommands: subcommandsOf(command),
    options: [...others, ...own].map((option) => optionModel(option, words.join(" "))),
    argument: argument && sourceOfArgument(argument),
  };
}

function optionModel(option: Option, command: string): OptionModel {
  const { long = "", short, description } = option;
  const takesValue = option.required || option.optional;
  return {
    long,
    short,
    description,
    value: takesValue ? sourceOf(long, command) : undefined,
    repeats: repeated.has(long) && option.parseArg !== undefined,
  };
}

function sourceOf(long: string, command: string): ValueKind {
  const source = long === "--fields" ? fieldSources[command] : optionSources[long];
  if (source === undefined) throw new RangeError(`no source of ${long} of ${command}`);
  return source;
}

function sourceOfArgument(argument: Argument): ValueKind {
  const source = argumentSources[argument.name()];
  if (source === undefined) throw new RangeError(`no source of the argument ${argument.name()}`);
  return source;
}

/** `help`, as if the commands that it explains, and the topics, were its subcommands. */
function helpModels(
  { options, path }: CommandModel,
  root: Command,
  topics: readonly Described[],
): CommandModel[] {
  const explaining = (words: string, subcommands: readonly Described[]): CommandModel => ({
    path: `${path}${words}`,
    subcommands,
    options,
    argument: undefined,
  });
  return [
    explaining("", [...subcommandsOf(root), ...topics]),
    ...descendants(root).map((command) =>
      explaining(` ${wordsOf(command).join(" ")}`, subcommandsOf(command)),
    ),
    ...topics.map(({ name }) => explaining(` ${name}`, [])),
  ];
}

function subcommandsOf({ commands }: Command): Described[] {
  return commands.map((child) => ({ name: child.name(), description: child.summary() }));
}

function wordsOf(command: Command): string[] {
  return command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
}

/** The subcommand that runs where none is named; commander keeps its name to itself. */
function defaultOf(command: Command): Command | undefined {
  const name: unknown = Reflect.get(command, "_defaultCommandName");
  return command.commands.find((child) => child.name() === name);
}
