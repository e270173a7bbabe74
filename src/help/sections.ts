import type { Block, Section, Term } from "./blocks.ts";

/** An option as help shows it. */
export interface DocumentedOption {
  /** As in `-o, --output <format>`. */
  readonly flags: string;
  readonly description: string;
  /** The heading below which help lists it, if not that of all others. */
  readonly group?: string;
  /** Whether help leaves it out. */
  readonly hidden?: true;
}

/** An argument as help shows it. */
export interface DocumentedArgument {
  /** As in `<id>`, `[shell]` or `[words...]`. */
  readonly syntax: string;
  /** What it is; an argument without it is shown in the usage line only. */
  readonly description?: string;
  /** Whether help leaves it out. */
  readonly hidden?: true;
}

/**
 * A command line to paste into a shell, and its expected results: the tests run each one
 * (test/e2e/help-examples.test.ts).
 */
export interface Example {
  readonly line: string;
  /** 0 unless given. */
  readonly exitCode?: number;
  /** What it prints; a variable that it sets is printed as `name=value`. */
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
  /** What the command prints that a store suggests as "Try" when it is ready. */
  readonly tried?: RegExp;
  /** The files that it leaves in the current folder, by name. */
  readonly files?: Readonly<Record<string, RegExp>>;
  /** What other command lines print after it. */
  readonly afterwards?: Readonly<Record<string, RegExp>>;
}

/** A command as help shows it. */
export interface DocumentedCommand {
  readonly name: string;
  /** Alternative names. */
  readonly aliases?: readonly string[];
  /** One line for the list of commands, without a full stop. */
  readonly summary: string;
  /** The heading below which help lists it, if not that of all others. */
  readonly group?: string;
  /** What follows the command in its usage line, if that is not derived from its arguments. */
  readonly usage?: string;
  readonly arguments?: readonly DocumentedArgument[];
  readonly options?: readonly DocumentedOption[];
  readonly subcommands?: readonly DocumentedCommand[];
  /** What is worth knowing besides its arguments and options. */
  readonly notes?: readonly Block[];
  readonly examples: readonly Example[];
}

/** The program itself as help shows it. */
export interface DocumentedProgram extends DocumentedCommand {
  /** The topics of `pets help`, each with what it is about. */
  readonly topics: Readonly<Record<string, string>>;
  /** The options of every command. */
  readonly globalOptions: readonly DocumentedOption[];
}

/** A command, preceded by those that lead to it, the program first. */
export type CommandPath = readonly [DocumentedProgram, ...DocumentedCommand[]];

/** Returns the path of the command that `names` lead to below `program`; undefined if there is none. */
export function findCommand(
  program: DocumentedProgram,
  names: readonly string[],
): CommandPath | undefined {
  const all: readonly CommandPath[] = [[program], ...pathsBelow([program])];
  return all.find(
    ([, ...below]) =>
      below.length === names.length &&
      below.every((command, place) => namesOf(command).includes(names[place] ?? "")),
  );
}

const namesOf = ({ name, aliases = [] }: DocumentedCommand): readonly string[] => [
  name,
  ...aliases,
];

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
export function commandOf(path: CommandPath): DocumentedCommand {
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

function ownUsage({ usage, subcommands = [], arguments: taken = [] }: DocumentedCommand): string {
  const parts = [
    "[options]",
    ...(subcommands.length > 0 ? ["[command]"] : []),
    ...taken.filter(({ hidden }) => !hidden).map(({ syntax }) => syntax),
  ];
  return usage ?? parts.join(" ");
}

/** Returns the summary of a command as a sentence. */
export function sentenceOf({ summary }: DocumentedCommand): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

/** Returns what a command takes: subcommands, arguments and options; topics and global options only for the program itself. */
export function sectionsOf(path: CommandPath): readonly Section[] {
  const { subcommands = [], options = [], ...command } = commandOf(path);
  const [program] = path;
  const isProgram = path.length === 1;
  const sections: readonly (readonly [heading: string, terms: readonly Term[]])[] = [
    ...inGroups("Commands", subcommands, (children) => children.map(commandTerm)),
    ["Arguments", argumentTerms(command)],
    ...inGroups("Options", options, optionTerms),
    ["Global options", isProgram ? optionTerms(program.globalOptions) : []],
    ["Help topics", isProgram ? Object.entries(program.topics) : []],
  ];
  return sections
    .filter(([, terms]) => terms.length > 0)
    .map(([heading, terms]) => ({ heading, blocks: [{ terms }] }));
}

/** Returns a section for each group of `all`, in the order of their first, after those in no group. */
function inGroups<Listed extends { readonly group?: string }>(
  heading: string,
  all: readonly Listed[],
  termsOf: (listed: readonly Listed[]) => readonly Term[],
): readonly (readonly [string, readonly Term[]])[] {
  const groups = Map.groupBy(all, ({ group = heading }) => group);
  const rest = groups.get(heading) ?? [];
  groups.delete(heading);
  return [...new Map([[heading, rest], ...groups])].map(([name, listed]) => [
    name,
    termsOf(listed),
  ]);
}

/** Returns options, and what each does. */
export function optionTerms(options: readonly DocumentedOption[] = []): readonly Term[] {
  return options
    .filter(({ hidden }) => !hidden)
    .map(({ flags, description }) => [flags, description]);
}

/** Returns the arguments of a command that have a description, and what each is. */
export function argumentTerms({
  arguments: taken = [],
}: Pick<DocumentedCommand, "arguments">): readonly Term[] {
  return taken.flatMap((argument): readonly Term[] =>
    argument.description === undefined ? [] : [[nameOf(argument), argument.description]],
  );
}

/** Returns the name of an argument: `<id>` → `id`, `[words...]` → `words`. */
function nameOf({ syntax }: DocumentedArgument): string {
  return syntax.replace(/^[<[](.*?)(?:\.{3})?[>\]]$/, "$1");
}

/** Maximum width of a usage in a list: a wider one would leave the meanings of all commands too little room. */
const maxListedUsage = 20;

/** Returns the name and usage of a command in a list, without `[options]`, as all take options. */
function commandTerm(command: DocumentedCommand): Term {
  const usage = ownUsage(command).replace(/^\[options\] ?/, "");
  const [argument] = command.arguments ?? [];
  const isShort = usage.length <= maxListedUsage || argument === undefined;
  const shown = isShort ? usage : `<${nameOf(argument)}>`;
  return [`${namesOf(command).join(", ")} ${shown}`.trimEnd(), command.summary];
}
