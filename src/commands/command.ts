import type {
  ArgumentDefinition,
  CommandModel,
  OptionDefinition,
  ProgramModel,
} from "../core/command-line.ts";
import type { Context } from "./context.ts";

/** A complete command: what it takes, its help, and what it runs. Made by `defineCommand`. */
export interface CommandDefinition extends CommandModel {
  readonly subcommands?: readonly CommandDefinition[];
  /** Whether it runs without the settings, so that wrong ones can't stop it. */
  readonly skipSettings?: boolean;
  /**
   * Runs the command with its options and arguments by name, parsed. Resolves with the exit code if that is
   * not 0; rejects with a Failure. A command without it has a default subcommand.
   */
  run?(context: Context, input: object): Promise<number | void>;
}

/** The program itself. */
export interface ProgramDefinition extends ProgramModel {
  readonly subcommands: readonly CommandDefinition[];
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
> = Flatten<Inputs<Options[number] | Arguments[number]>>;

type Flatten<Type> = { [Name in keyof Type]: Type[Name] };

type Taken = OptionDefinition | ArgumentDefinition;

type Inputs<All extends Taken> = {
  readonly [Each in All as IsSure<Each> extends true ? InputName<Each> : never]: InputValue<Each>;
} & {
  readonly [Each in All as IsSure<Each> extends true ? never : InputName<Each>]?: InputValue<Each>;
};

/** What takes a text: an argument, or an option with a value. */
type TakesText = { readonly syntax: string } | { readonly flags: `${string}<${string}` };

/** Whether a command always gets a value: a flag is false or true, a list may be empty, a default counts as typed. */
type IsSure<Each> = Each extends
  | { readonly default: string }
  | { readonly repeats: true }
  | { readonly syntax: `<${string}` | `${string}...]` }
  ? true
  : Each extends TakesText
    ? false
    : true;

type InputValue<Each> = Each extends TakesText
  ? Each extends { readonly repeats: true } | { readonly syntax: `${string}...${string}` }
    ? readonly ParsedValue<Each>[]
    : ParsedValue<Each>
  : boolean;

type ParsedValue<Definition> = Definition extends {
  readonly parse: (text: string, name: string) => infer Value;
}
  ? Awaited<Value>
  : Definition extends {
        readonly values: { readonly kind: "words"; readonly words: readonly (infer Word)[] };
      }
    ? Word
    : string;

type InputName<Each> = Each extends { readonly flags: `${string}--${infer Name}` }
  ? CamelCase<FirstWord<Name extends `no-${infer Positive}` ? Positive : Name>>
  : Each extends { readonly syntax: `${"<" | "["}${infer Name}${">" | "]"}` }
    ? CamelCase<Name extends `${infer One}...` ? One : Name>
    : never;

type FirstWord<Text extends string> = Text extends `${infer Word} ${string}` ? Word : Text;

type CamelCase<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Text;
