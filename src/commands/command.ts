import type { Command } from "commander";
import type { Context } from "./context.ts";

/** What a command runs: it answers its exit code where that is not 0, and throws a Failure. */
type Run<Parameters extends unknown[]> = (
  context: Context,
  ...parameters: Parameters
) => Promise<number | void>;

/** Turns what a command runs into what the parser calls, with the arguments and then the options. */
type Action = <Parameters extends unknown[]>(
  run: Run<Parameters>,
) => (...parameters: Parameters) => void;

/** A subcommand: its place in the help, and its flags. */
export interface CommandDefinition {
  readonly name: string;
  /** One line for `pets --help`, without a full stop. */
  readonly summary: string;
  /** Whether it runs without a look at the settings: help must be had also where they are wrong. */
  readonly skipSettings?: boolean;
  /** Whether it needs all commands defined beside it, to tell of them. */
  readonly needsFullTree?: boolean;
  /** Adds arguments, flags and subcommands to `command`, and binds what they run. */
  configure(command: Command, action: Action): void;
}
