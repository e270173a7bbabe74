import {
  type ArgumentValues,
  type Described,
  fieldNames,
  free,
  kindName,
  type OptionValues,
  type ValueKind,
} from "./values.ts";

/** What completion needs to know of an option. */
export interface CompletableOption {
  /** As in `-o, --output <format>`. */
  readonly flags: string;
  readonly description: string;
  /** What its value may be; anything unless given. */
  readonly values?: OptionValues;
  /** Whether it may be given more than once. */
  readonly repeats?: true;
}

/** What completion needs to know of an argument. */
export interface CompletableArgument {
  /** What it may be; anything unless given. */
  readonly values?: ArgumentValues;
  /** Whether it is not offered. */
  readonly hidden?: true;
}

/** What completion needs to know of a command. */
export interface CompletableCommand {
  readonly name: string;
  /** Alternative names. */
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly options?: readonly CompletableOption[];
  readonly arguments?: readonly CompletableArgument[];
  readonly subcommands?: readonly CompletableCommand[];
  /** Whether it is the subcommand that runs when none is named. */
  readonly isDefault?: boolean;
  /** The columns of what it prints: what `--fields` may name. */
  readonly columns?: readonly { readonly field: string }[];
}

/** What completion needs to know of the program itself. */
export interface CompletableProgram extends CompletableCommand {
  /** The options of every command. */
  readonly globalOptions: readonly CompletableOption[];
}

/** An option as scripts need it: `long` and `short` with their dashes. */
export interface OptionModel {
  readonly long: string;
  readonly short: string | undefined;
  readonly description: string;
  /** What its value may be; undefined for a flag. */
  readonly value: ValueKind | undefined;
  readonly repeats: boolean;
}

/** A command, and what may follow it. */
export interface CommandModel {
  /** The words that lead to it, `pets` first. */
  readonly path: string;
  readonly subcommands: readonly Described[];
  readonly options: readonly OptionModel[];
  /** What its argument may be; undefined if it takes none. */
  readonly argument: ValueKind | undefined;
}

/**
 * Returns `program` and all its commands, each before its own subcommands. Throws a RangeError for a
 * command with several arguments, which the scripts can't tell apart.
 */
export function completionModel(program: CompletableProgram): CommandModel[] {
  return modelsOf(program, program.name, program);
}

/** Returns the models of the command at `path` and of those below it. */
function modelsOf(
  command: CompletableCommand,
  path: string,
  program: CompletableProgram,
): CommandModel[] {
  const [argument, ...more] = (command.arguments ?? []).filter(({ hidden }) => !hidden);
  if (more.length > 0) throw new RangeError(`${path} has several arguments`);
  const options = optionModels(command, program.globalOptions);
  const values = argument && (argument.values ?? free);
  if (values?.kind === "commands") return namingCommands(path, options, program, values.others);
  return [
    { path, subcommands: describedSubcommands(command), options, argument: values },
    ...subcommandsOf(command).flatMap((child) => modelsOf(child, `${path} ${child.name}`, program)),
  ];
}

/** Returns the kinds of values that have words, each once, in order of first use. */
export function wordKinds(models: readonly CommandModel[]) {
  const met = models.flatMap(({ options, argument }) => [
    ...options.map(({ value }) => value),
    argument,
  ]);
  const withWords = met.filter((kind) => kind?.kind === "words" || kind?.kind === "list");
  return [...new Map(withWords.map((kind) => [kindName(kind), kind])).values()];
}

/** Returns the entries that `write` makes of options and that are the same in all commands. */
export function commonEntries(
  models: readonly CommandModel[],
  write: (option: OptionModel) => readonly string[],
): readonly string[] {
  const [first = [], ...others] = models.map(({ options }) => options.flatMap(write));
  return first.filter((entry) => others.every((entries) => entries.includes(entry)));
}

/** Returns the options of a command, preceded by those of its default subcommand. */
function optionModels(
  command: CompletableCommand,
  globalOptions: readonly CompletableOption[],
): OptionModel[] {
  const { options = [], subcommands = [], columns } = command;
  const fields = columns === undefined ? free : fieldNames(columns);
  const ofDefault = subcommands.find(({ isDefault }) => isDefault)?.options ?? [];
  return [...ofDefault, ...options, ...globalOptions].map((option) => {
    const { flags, description, values = free, repeats = false } = option;
    const [names = "", value] = flags.split(" <");
    const [long = "", short] = names.split(", ").toReversed();
    return {
      long,
      short,
      description,
      value: value === undefined ? undefined : values.kind === "fields" ? fields : values,
      repeats,
    };
  });
}

/** Returns a command that takes the names of commands, as if these and `others` were its subcommands. */
function namingCommands(
  path: string,
  options: readonly OptionModel[],
  program: CompletableProgram,
  others: readonly Described[],
): CommandModel[] {
  const naming = (words: string, subcommands: readonly Described[]): CommandModel => ({
    path: `${path}${words}`,
    subcommands,
    options,
    argument: undefined,
  });
  const below = (command: CompletableCommand, above: string): CommandModel[] =>
    subcommandsOf(command).flatMap((child) => {
      const words = `${above} ${child.name}`;
      return [naming(words, describedSubcommands(child))].concat(below(child, words));
    });
  const named = describedSubcommands(program);
  // A topic may have the name of a command.
  const more = others.filter((other) => named.every(({ name }) => name !== other.name));
  return [
    naming("", [...named, ...more]),
    ...below(program, ""),
    ...more.map(({ name }) => naming(` ${name}`, [])),
  ];
}

/** Returns the subcommands of a command under all their names. */
function subcommandsOf({ subcommands = [] }: CompletableCommand): readonly CompletableCommand[] {
  return subcommands.flatMap((child) => [
    child,
    ...(child.aliases ?? []).map((name) => Object.assign({}, child, { name })),
  ]);
}

function describedSubcommands(command: CompletableCommand): Described[] {
  return subcommandsOf(command).map(({ name, summary }) => ({ name, description: summary }));
}
