import type {
  CompletableArgument,
  CompletableCommand,
  CompletableOption,
} from "../completion/model.ts";
import type { DocumentedArgument, DocumentedCommand, DocumentedOption } from "../help/sections.ts";
import type { Context } from "./context.ts";

/** The long form of an option. */
type Flag = `--${string}`;

/**
 * Returns what the text of an option or argument means; `name` is what messages call it. Throws a usage
 * Failure. Without one, a value with `oneOf` must be one of its words, and any other is passed as it was typed.
 */
type Parse = (text: string, name: string) => unknown;

/** An option of a command: how it is typed and parsed, what help says about it, what completion offers. */
export interface OptionDefinition extends DocumentedOption, CompletableOption {
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

/** An argument of a command. A hidden one is only accepted so that `run` can say what was meant. */
export interface ArgumentDefinition extends DocumentedArgument, CompletableArgument {
  readonly parse?: Parse;
}

/**
 * A complete command: what it takes, its help and examples, what completion offers for it, and what it
 * runs. Made by `defineCommand`.
 */
export interface CommandDefinition extends DocumentedCommand, CompletableCommand {
  readonly options?: readonly OptionDefinition[];
  readonly arguments?: readonly ArgumentDefinition[];
  readonly subcommands?: readonly CommandDefinition[];
  /** Whether it runs without the settings, so that wrong ones can't stop it. */
  readonly skipSettings?: boolean;
  /**
   * Runs the command with its options and arguments by name, parsed. Resolves with the exit code if that is
   * not 0; rejects with a Failure. A command without it has a default subcommand.
   */
  run?(context: Context, input: object): Promise<number | void>;
}

/** The program itself: all commands, and the options that every one of them takes. */
export interface ProgramDefinition extends CommandDefinition {
  readonly subcommands: readonly CommandDefinition[];
  readonly globalOptions: readonly OptionDefinition[];
  /** The topics of `pets help`, each with what it is about. */
  readonly topics: Readonly<Record<string, string>>;
}

/**
 * Returns the definition of a command. Names and types of what `run` gets follow from its `options` and
 * `arguments`: `--dry-run` is `dryRun: boolean`, `--no-page` is `page: boolean`, `--limit <n>` is `limit?: string`,
 * or what its `parse` returns, `[words...]` is `words: readonly string[]`. A heavy command imports its code
 * when it runs.
 */
export function defineCommand<
  const Options extends readonly OptionDefinition[] = readonly [],
  const Arguments extends readonly ArgumentDefinition[] = readonly [],
>(
  definition: Omit<CommandDefinition, "options" | "arguments" | "run"> & {
    readonly options?: Options;
    readonly arguments?: Arguments;
    readonly run?: (context: Context, input: InputOf<Options, Arguments>) => Promise<number | void>;
  },
): CommandDefinition {
  return definition;
}

/** What a command gets of its options and arguments. */
export type InputOf<
  Options extends readonly OptionDefinition[],
  Arguments extends readonly ArgumentDefinition[] = readonly [],
> = Flatten<OptionInput<Options[number]> & ArgumentInput<Arguments[number]>>;

type Flatten<Type> = { [Name in keyof Type]: Type[Name] };

type OptionInput<Option extends OptionDefinition> = {
  readonly [
    Each in Option as IsSure<Each> extends true ? OptionName<Each["flags"]> : never
  ]: OptionValue<Each>;
} & {
  readonly [
    Each in Option as IsSure<Each> extends true ? never : OptionName<Each["flags"]>
  ]?: OptionValue<Each>;
};

type ArgumentInput<Argument extends ArgumentDefinition> = {
  readonly [
    Each in Argument as Each["syntax"] extends `[${string}]`
      ? Each["syntax"] extends `${string}...]`
        ? ArgumentName<Each["syntax"]>
        : never
      : ArgumentName<Each["syntax"]>
  ]: ArgumentValue<Each>;
} & {
  readonly [
    Each in Argument as Each["syntax"] extends `[${string}]`
      ? Each["syntax"] extends `${string}...]`
        ? never
        : ArgumentName<Each["syntax"]>
      : never
  ]?: ArgumentValue<Each>;
};

/** Whether a command always gets a value: a flag is false or true, a list may be empty, a default counts as typed. */
type IsSure<Option extends OptionDefinition> = Option extends { readonly default: string }
  ? true
  : Option extends { readonly repeats: true }
    ? true
    : Option["flags"] extends `${string}<${string}`
      ? false
      : true;

type OptionValue<Option extends OptionDefinition> = Option["flags"] extends `${string}<${string}`
  ? Option extends { readonly repeats: true }
    ? readonly ParsedValue<Option>[]
    : ParsedValue<Option>
  : boolean;

type ArgumentValue<Argument extends ArgumentDefinition> =
  Argument["syntax"] extends `${string}...${string}`
    ? readonly ParsedValue<Argument>[]
    : ParsedValue<Argument>;

type ParsedValue<Definition> = Definition extends {
  readonly parse: (text: string, name: string) => infer Value;
}
  ? Awaited<Value>
  : Definition extends {
        readonly values: { readonly kind: "words"; readonly words: readonly (infer Word)[] };
      }
    ? Word
    : string;

type OptionName<Flags extends string> = Flags extends `${string}--no-${infer Name}`
  ? CamelCase<FirstWord<Name>>
  : Flags extends `${string}--${infer Name}`
    ? CamelCase<FirstWord<Name>>
    : never;

type ArgumentName<Syntax extends string> = Syntax extends `${"<" | "["}${infer Name}${">" | "]"}`
  ? CamelCase<Name extends `${infer One}...` ? One : Name>
  : never;

type FirstWord<Text extends string> = Text extends `${infer Word} ${string}` ? Word : Text;

type CamelCase<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Text;
