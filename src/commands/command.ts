import type {
  CompletableArgument,
  CompletableCommand,
  CompletableOption,
} from "../completion/model.ts";
import type { DocumentedArgument, DocumentedCommand, DocumentedOption } from "../help/sections.ts";
import type { Context } from "./context.ts";

/** An option of a command: how it is typed, what help says about it, what completion offers for it. */
export interface OptionDefinition extends DocumentedOption, CompletableOption {
  /** Whether the command gets an array of all values that were typed, instead of the last one. */
  readonly collects?: boolean;
}

/** An argument of a command. */
interface ArgumentDefinition extends DocumentedArgument, CompletableArgument {}

/**
 * A complete command: what it takes, its help and examples, what completion offers for it, and what it
 * runs. A heavy command imports its code when it runs.
 */
export interface CommandDefinition extends DocumentedCommand, CompletableCommand {
  readonly options?: readonly OptionDefinition[];
  readonly arguments?: readonly ArgumentDefinition[];
  readonly subcommands?: readonly CommandDefinition[];
  /** Whether it runs without the settings, so that wrong ones can't stop it. */
  readonly skipSettings?: boolean;
  /** Whether `run` explains arguments that the command does not take; otherwise the parser refuses them. */
  readonly explainsExcess?: boolean;
  /**
   * Runs the command with its arguments as typed, and then its options. Resolves with the exit code if
   * that is not 0; rejects with a Failure. A command without it has a default subcommand.
   */
  run?(context: Context, ...typed: readonly unknown[]): Promise<number | void>;
}

/** The program itself: all commands, and the options that every one of them takes. */
export interface ProgramDefinition extends CommandDefinition {
  readonly subcommands: readonly CommandDefinition[];
  readonly globalOptions: readonly OptionDefinition[];
}
