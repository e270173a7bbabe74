import { Command, CommanderError } from "../vendor/commander.ts";
import type { CommandDefinition } from "../commands/command.ts";
import { parserFailure } from "../commands/parser-failure.ts";
import { commands } from "../commands/index.ts";
import { pets } from "./pets.ts";
import { addGlobalOptions } from "./global-options.ts";
import type { TypedOptions } from "../config/settings.ts";
import type { Context, Runtime } from "../commands/context.ts";
import type { Failure } from "../core/errors.ts";
import {
  addCommand,
  explicitOptions,
  explicitOptionsBelow,
  isTextRequest,
  type OnCommand,
  resolvedCommand,
} from "../commands/commander-adapter.ts";

/** A request for a command, with its arguments. */
export interface CommandRequest {
  readonly globals: TypedOptions;
  /** Whether it runs without reading the settings. */
  readonly withoutSettings: boolean;
  run(context: Context): Promise<number | void>;
}

/** An invalid command line, and the options in it. */
export interface UsageError {
  readonly globals: TypedOptions;
  readonly failure: Failure;
}

/** A request for a text: help, or the version. */
export interface TextRequest {
  text(): Promise<string>;
}

/** Returns what `argv` asks for. */
export function parseCommandLine({
  argv,
  stdout,
  program,
}: Pick<Runtime, "argv" | "stdout" | "program">): CommandRequest | TextRequest | UsageError {
  const texts: string[] = [];
  const helpRequestedFor: Command[] = [];
  const found: CommandRequest[] = [];
  const root = makeProgram(
    collectTexts(texts, helpRequestedFor),
    candidateCommands(argv),
    (each) => void found.push(requestOf(each)),
  );
  addGlobalOptions(root, program.version);
  try {
    root.parse([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (!isTextRequest(error)) {
      return {
        globals: explicitOptionsBelow(root),
        failure: refusal(error, resolvedCommand(root), { argv, program }),
      };
    }
  }
  return found[0] ?? { text: () => textOf(texts, helpRequestedFor[0], stdout) };
}

function refusal(
  error: CommanderError,
  command: Command,
  { argv, program: { platform } }: Pick<Runtime, "argv" | "program">,
): Failure {
  const definition = definitionOf(namesBelowRoot(command));
  return parserFailure(error, { argv, platform, command, definition });
}

/** Returns the definition of the command that `names` lead to. */
function definitionOf(names: readonly string[]): CommandDefinition {
  return names.reduce<CommandDefinition>(
    (above, name) => above.subcommands?.find((each) => each.name === name) ?? above,
    pets,
  );
}

/** Adds the commands `definitions` to `root`, and returns it. */
function makeProgram(
  root: Command,
  definitions: readonly CommandDefinition[],
  onCommand: OnCommand,
): Command {
  root.exitOverride().helpCommand(false).enablePositionalOptions();
  for (const definition of definitions) addCommand(root, definition, onCommand);
  return root;
}

/** Returns a root that adds the output of the parser to `texts`, and a command whose help is requested to `helpRequestedFor`. */
function collectTexts(texts: string[], helpRequestedFor: Command[]): Command {
  const write = (text: string): void => void texts.push(text);
  return new Command("pets")
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => {} })
    .configureHelp({ formatHelp: (asked) => `${helpRequestedFor.push(asked)}` });
}

async function textOf(
  texts: readonly string[],
  helpRequestedFor: Command | undefined,
  { columns }: Runtime["stdout"],
): Promise<string> {
  if (helpRequestedFor === undefined) return texts.join("");
  const { commandHelp, findCommand } = await import("../help/index.ts");
  const path = findCommand(pets, namesBelowRoot(helpRequestedFor));
  if (path === undefined) throw new RangeError(`no definition of ${helpRequestedFor.name()}`);
  return commandHelp(path, columns);
}

function namesBelowRoot(command: Command): readonly string[] {
  return command.parent === null ? [] : [...namesBelowRoot(command.parent), command.name()];
}

/** Returns the one command that `argv` begins with; all of them if it begins with none. */
function candidateCommands([first]: readonly string[]): readonly CommandDefinition[] {
  const named = commands.filter(
    ({ name, aliases = [] }) => first !== undefined && [name, ...aliases].includes(first),
  );
  return named.length === 0 ? commands : named;
}

function requestOf({ definition, command, input }: Parameters<OnCommand>[0]): CommandRequest {
  return {
    globals: explicitOptions(command),
    withoutSettings: definition.skipSettings ?? false,
    run: async (context) => definition.run?.(context, await input()),
  };
}
