import type { ArgumentValues, OptionValues } from "./values.ts";

/** What completion needs to know of an option. */
export interface CompletableOption {
  /** As in `-o, --output <format>`. */
  readonly flags: string;
  readonly description: string;
  /** What its value may be; anything unless given. */
  readonly values?: OptionValues;
  /** Whether it may be given more than once. */
  readonly repeats?: true;
  /** Whether it is not offered. */
  readonly hidden?: true;
}

/** What completion needs to know of an argument. */
export interface CompletableArgument {
  /** What it may be; anything unless given. */
  readonly values?: ArgumentValues;
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

/** An option's forms with their dashes, and whether a value follows. */
export interface OptionForms {
  readonly long: string;
  readonly short: string | undefined;
  readonly takesValue: boolean;
}

/** Returns the forms of an option: `-o, --output <format>` → `--output`, `-o`. */
export function formsOf({ flags }: CompletableOption): OptionForms {
  const [names = "", value] = flags.split(" <");
  const [long = "", short] = names.split(", ").toReversed();
  return { long, short, takesValue: value !== undefined };
}

/** Returns the subcommand of `command` that is called `word`. */
export function subcommandOf(
  { subcommands = [] }: CompletableCommand,
  word: string,
): CompletableCommand | undefined {
  return subcommands.find(({ name, aliases = [] }) => [name, ...aliases].includes(word));
}

/** Returns the options of a command: its own, those of its default subcommand, and the global ones. */
export function optionsOf(
  { options = [], subcommands = [] }: CompletableCommand,
  { globalOptions }: CompletableProgram,
): readonly CompletableOption[] {
  const ofDefault = subcommands.find(({ isDefault }) => isDefault)?.options ?? [];
  return [...ofDefault, ...options, ...globalOptions].filter(({ hidden }) => !hidden);
}
