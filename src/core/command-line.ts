// A command line as data: parser, help, man page and completion are made from it.

/** A word to offer, and a description of one line. */
export interface Described {
  readonly name: string;
  readonly description: string;
}

/** A value that is one of `words`. */
interface WordValues<Word extends string = string> {
  readonly kind: "words";
  readonly words: readonly Word[];
}

/** A comma-separated list of `words`, each followed by `end`. */
interface ListValues {
  readonly kind: "list";
  readonly words: readonly string[];
  readonly end: "" | ":";
}

/**
 * What a value may be: words, a file, a profile, the fields that the command shows, or the name of a command
 * or one of `others`.
 */
export type Values =
  | { readonly kind: "files" | "profiles" | "fields" }
  | WordValues
  | ListValues
  | { readonly kind: "commands"; readonly others: readonly Described[] };

export const files: Values = { kind: "files" };
export const profiles: Values = { kind: "profiles" };

/** Returns the kind of a value that is one of `words`. */
export function oneOf<const Word extends string>(words: readonly Word[]): WordValues<Word> {
  return { kind: "words", words };
}

/** The long form of an option. */
type Flag = `--${string}`;

/**
 * Returns what the text of an option or argument means; `name` is what messages call it. Throws a usage
 * Failure. Without one, a value with `oneOf` must be one of its words, and any other is passed as it was typed.
 */
type Parse = (text: string, name: string) => unknown;

/** An option of a command: how it is typed and parsed, what help says about it, what completion offers. */
export interface OptionDefinition {
  /** As in `-o, --output <format>`. */
  readonly flags: string;
  readonly description: string;
  /** The heading below which help lists it, if not that of all others. */
  readonly group?: string;
  /** Whether help leaves it out, and completion does not offer it. */
  readonly hidden?: true;
  /** What its value may be; anything unless given. */
  readonly values?: Values;
  readonly parse?: Parse;
  /** What counts as typed if nothing was; then the command always gets a value. */
  readonly default?: string;
  /** Whether the command gets a list of all values that were typed, instead of the last one. */
  readonly repeats?: true;
  /** Whether it is refused if it was typed more than once. */
  readonly once?: true;
  /** The option without which it is refused. */
  readonly needs?: Flag;
  /** The options beside which it is refused. */
  readonly excludes?: readonly Flag[];
  /** The name that it had before, which still works. */
  readonly formerly?: Flag;
}

/** An argument of a command. A hidden one is only accepted so that the command can say what was meant. */
export interface ArgumentDefinition {
  /** As in `<id>`, `[shell]` or `[words...]`. */
  readonly syntax: string;
  /** What it is; an argument without it is shown in the usage line only. */
  readonly description?: string;
  readonly hidden?: true;
  /** What it may be; anything unless given. */
  readonly values?: Values;
  readonly parse?: Parse;
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

/** What a command takes, and what help and completion say about it. */
export interface CommandModel {
  readonly name: string;
  /** Alternative names. */
  readonly aliases?: readonly string[];
  /** One line for the list of commands, without a full stop. */
  readonly summary: string;
  /** The heading below which help lists it, if not that of all others. */
  readonly group?: string;
  /** What follows the command in its usage line, if that is not derived from its arguments. */
  readonly usage?: string;
  readonly arguments?: readonly ArgumentDefinition[];
  readonly options?: readonly OptionDefinition[];
  readonly subcommands?: readonly CommandModel[];
  /** Whether it is the subcommand that runs when none is named. */
  readonly isDefault?: boolean;
  /** The columns of what it prints: what `--fields` may name. */
  readonly columns?: readonly { readonly field: string }[];
  /** What is worth knowing besides its arguments and options. */
  readonly notes?: readonly Block[];
  readonly examples: readonly Example[];
}

/** The program itself: all commands, and the options that every one of them takes. */
export interface ProgramModel extends CommandModel {
  readonly globalOptions: readonly OptionDefinition[];
  /** The topics of `pets help`, each with what it is about. */
  readonly topics: Readonly<Record<string, string>>;
}

/** A part of a help text: in running text, code is between backticks. */
export type Block =
  | string
  /** The title of a topic (level 1), or of a part of it (level 2). */
  | { readonly heading: string; readonly level: number }
  /** The items of a bulleted list. */
  | { readonly items: readonly string[] }
  | { readonly terms: readonly Term[] }
  | Table
  /** Lines that are shown as they are. */
  | { readonly lines: readonly string[] };

export type Term = readonly [term: string, meaning: string];

/** A table of three or more columns. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Returns the forms of an option: `-o, --output <format>` → `--output`, `-o`, and whether a value follows. */
export function formsOf({ flags }: Pick<OptionDefinition, "flags">) {
  const [names = "", value] = flags.split(" <");
  const [long = "", short] = names.split(", ").toReversed();
  return { long, short, takesValue: value !== undefined };
}

/** Returns the name of an option in code: `--dry-run` → `dryRun`, `--no-page` → `page`. */
export function optionName(flag: string): string {
  return camelCase(flag.replace(/^--(?:no-)?/, ""));
}

/** Returns the name of an argument: `<id>` → `id`, `[words...]` → `words`. */
export function argumentName({ syntax }: Pick<ArgumentDefinition, "syntax">): string {
  return syntax.replace(/^[<[](.*?)(?:\.{3})?[>\]]$/, "$1");
}

/** Returns the words as one in code: `dry-run` → `dryRun`. */
export function camelCase(words: string): string {
  return words.replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
}

/** Returns all names of a command. */
export function namesOf({ name, aliases = [] }: CommandModel): readonly string[] {
  return [name, ...aliases];
}

/** Returns the subcommand of `command` that is called `word`. */
export function subcommandOf(
  { subcommands = [] }: CommandModel,
  word: string,
): CommandModel | undefined {
  return subcommands.find((child) => namesOf(child).includes(word));
}
