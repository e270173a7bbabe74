import {
  argumentName,
  type CommandModel,
  namesOf,
  type OptionDefinition,
  type ProgramModel,
  subcommandOf,
  type Table,
  type Term,
} from "../core/command-line.ts";

/** Terms below a heading such as `Options`. */
export interface Section {
  readonly heading: string;
  readonly terms: readonly Term[];
}

/** A command, preceded by those that lead to it, the program first. */
export type CommandPath = readonly [ProgramModel, ...CommandModel[]];

/** Returns the path of the command that `names` lead to below `program`; undefined if there is none. */
export function findCommand(
  program: ProgramModel,
  names: readonly string[],
): CommandPath | undefined {
  const below: CommandModel[] = [];
  for (const name of names) {
    const child = subcommandOf(below.at(-1) ?? program, name);
    if (child === undefined) return undefined;
    below.push(child);
  }
  return [program, ...below];
}

/** Returns the paths of all commands below the one at `path`, each before its own subcommands. */
export function pathsBelow(path: CommandPath): readonly CommandPath[] {
  const paths: CommandPath[] = [];
  for (const child of commandOf(path).subcommands ?? []) {
    const below: CommandPath = [...path, child];
    paths.push(below, ...pathsBelow(below));
  }
  return paths;
}

/** Returns the command that `path` leads to. */
export function commandOf(path: CommandPath): CommandModel {
  return path.at(-1) ?? path[0];
}

/** Returns the words that lead to a command, as in `pets profile use`. */
export function wordsOf(path: CommandPath): string {
  return path.map(({ name }) => name).join(" ");
}

/** Returns how a command is written, as in `pets list [options]`. */
export function usageOf(path: CommandPath): string {
  return `${wordsOf(path)} ${ownUsage(commandOf(path))}`;
}

function ownUsage({ usage, subcommands = [], arguments: taken = [] }: CommandModel): string {
  const parts = [
    "[options]",
    ...(subcommands.length > 0 ? ["[command]"] : []),
    ...taken.filter(({ hidden }) => !hidden).map(({ syntax }) => syntax),
  ];
  return usage ?? parts.join(" ");
}

/** Returns the summary of a command as a sentence. */
export function sentenceOf({ summary }: CommandModel): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

/** Returns what a command takes: subcommands, arguments and options; topics and global options only for the program itself. */
export function sectionsOf(path: CommandPath): readonly Section[] {
  const { subcommands = [], options = [], ...command } = commandOf(path);
  const [program] = path;
  const isProgram = path.length === 1;
  const sections: readonly Section[] = [
    ...inGroups("Commands", subcommands, (children) => children.map(commandTerm)),
    { heading: "Arguments", terms: argumentTerms(command) },
    ...inGroups("Options", options, optionTerms),
    { heading: "Global options", terms: isProgram ? optionTerms(program.globalOptions) : [] },
    { heading: "Help topics", terms: isProgram ? Object.entries(program.topics) : [] },
  ];
  return sections.filter(({ terms }) => terms.length > 0);
}

/** Returns a section for each group of `all`, in the order of their first, after those in no group. */
function inGroups<Listed extends { readonly group?: string }>(
  heading: string,
  all: readonly Listed[],
  termsOf: (listed: readonly Listed[]) => readonly Term[],
): readonly Section[] {
  const groups = Map.groupBy(all, ({ group = heading }) => group);
  const ordered = new Map([[heading, groups.get(heading) ?? []], ...groups]);
  return Array.from(ordered, ([name, listed]) => ({ heading: name, terms: termsOf(listed) }));
}

/** Returns options, and what each does. */
export function optionTerms(options: readonly OptionDefinition[] = []): readonly Term[] {
  return options
    .filter(({ hidden }) => !hidden)
    .map(({ flags, description }) => [flags, description]);
}

/** Returns the arguments of a command that have a description, and what each is. */
export function argumentTerms({
  arguments: taken = [],
}: Pick<CommandModel, "arguments">): readonly Term[] {
  return taken.flatMap((argument): readonly Term[] =>
    argument.description === undefined ? [] : [[argumentName(argument), argument.description]],
  );
}

/** Maximum width of a usage in a list: a wider one would leave the meanings of all commands too little room. */
const maxListedUsage = 20;

/** Returns the name and usage of a command in a list, without `[options]`, as all take options. */
function commandTerm(command: CommandModel): Term {
  const usage = ownUsage(command).replace(/^\[options\] ?/, "");
  const [argument] = command.arguments ?? [];
  const isShort = usage.length <= maxListedUsage || argument === undefined;
  const shown = isShort ? usage : `<${argumentName(argument)}>`;
  return [`${namesOf(command).join(", ")} ${shown}`.trimEnd(), command.summary];
}

/** Returns `table` as terms: the first cell of each row, and the other cells, each after the name of its column. */
export function tableTerms({ head, rows }: Table): readonly Term[] {
  return rows.map(([first = "", ...cells]) => {
    const named = cells.map((cell, place) => `${head[place + 1]}: ${cell}`);
    return [first, named.join("; ")];
  });
}
