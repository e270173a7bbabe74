import { Command, CommanderError } from "../vendor/commander.ts";
import type { CommandDefinition } from "../commands/command.ts";
import { commands } from "../commands/index.ts";
import { addGlobalOptions, type OptionFilter, optionsMentionedIn } from "./global-options.ts";
import type { RawGlobals } from "../config/types.ts";
import type { Context, Runtime } from "../commands/context.ts";
import type { Failure } from "../core/errors.ts";
import {
  explicitOptions,
  explicitOptionsBelow,
  isTextRequest,
  parserFailure,
  resolvedCommand,
} from "../commands/commander-adapter.ts";

/** A command that was asked for, with its arguments. */
export interface CommandRequest {
  readonly globals: RawGlobals;
  /** Whether it runs without a look at the settings. */
  readonly withoutSettings: boolean;
  run(context: Context): Promise<number | void>;
}

/** A command line that asks for nothing that there is, and the options that stand in it all the same. */
export interface UsageError {
  readonly globals: RawGlobals;
  readonly failure: Failure;
}

/** A text that was asked for: help, or the version. */
export interface TextRequest {
  text(): Promise<string>;
}

/** What `world.argv` asks for. */
export function parseCommandLine(world: Runtime): CommandRequest | TextRequest | UsageError {
  const definitions = candidateCommands(world.argv);
  if (definitions.length === 1) {
    const outcome = parseArguments(world, definitions, optionsMentionedIn(world.argv));
    if ("run" in outcome) return outcome;
  }
  return parseArguments(world, definitions, () => true);
}

/** What `argv` asks for, told by a parser that knows `definitions` and the global options that are wanted. */
export function parseArguments(
  { argv, stdout, program }: Pick<Runtime, "argv" | "stdout" | "program">,
  definitions: readonly CommandDefinition[],
  isWanted: OptionFilter,
): CommandRequest | TextRequest | UsageError {
  const texts: string[] = [];
  const helpRequestedFor: Command[] = [];
  const found: CommandRequest[] = [];
  const root = makeProgram(collectTexts(texts, helpRequestedFor), definitions, (definition) => {
    return (run) => captureAction(found, definition, run);
  });
  // Of a line that begins with a command the root's own options can't be part.
  const [only, ...others] = root.commands;
  addGlobalOptions(only && others.length === 0 ? only : root, program.version, isWanted);
  try {
    root.parse([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (!isTextRequest(error)) {
      return {
        globals: explicitOptionsBelow(root),
        failure: parserFailure(error, resolvedCommand(root)),
      };
    }
  }
  return found[0] ?? { text: () => textOf(texts, helpRequestedFor[0], stdout) };
}

/** All commands with what they take, and none that runs: for what is told of them. */
export function buildProgramForDocs(version: string): Command {
  const root = makeProgram(new Command("pets"), commands, () => () => () => {});
  addGlobalOptions(root, version, () => true);
  return root;
}

/** Gives `root` the commands `definitions`, which take over how it is configured. */
function makeProgram(
  root: Command,
  definitions: readonly CommandDefinition[],
  actionOf: (definition: CommandDefinition) => Parameters<CommandDefinition["configure"]>[1],
): Command {
  root
    .description("List, add and fetch the animals of the Animal Adoption Store.")
    .exitOverride()
    .helpCommand(false)
    .enablePositionalOptions();
  for (const definition of definitions) {
    const { name, summary } = definition;
    definition.configure(root.command(name).summary(summary), actionOf(definition));
  }
  describeCommands(root);
  return root;
}

/** A root that adds to `texts` what the parser writes, and to `helped` the commands whose help is asked for. */
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
  const { commandHelp } = await import("../help/index.ts");
  return commandHelp(helpRequestedFor, columns);
}

/** The one command that `argv` begins with; all where it begins otherwise, or that one needs all. */
function candidateCommands([first]: readonly string[]): readonly CommandDefinition[] {
  const named = commands.filter(
    ({ name, needsFullTree }) => name === first && needsFullTree !== true,
  );
  return named.length === 0 ? commands : named;
}

const captureAction =
  <Parameters extends unknown[]>(
    found: CommandRequest[],
    { skipSettings = false }: CommandDefinition,
    run: (context: Context, ...parameters: Parameters) => Promise<number | void>,
  ): ((...parameters: Parameters) => void) =>
  (...parameters) => {
    const command = parameters.at(-1);
    if (!(command instanceof Command)) throw new TypeError("the parser named no command");
    found.push({
      globals: explicitOptions(command),
      withoutSettings: skipSettings,
      run: (context) => run(context, ...parameters),
    });
  };

/** Makes each summary below `command` the sentence at the head of that command's own help. */
function describeCommands({ commands: children }: Command): void {
  for (const child of children) {
    const summary = child.summary();
    child.description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
    describeCommands(child);
  }
}
