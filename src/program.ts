import { Command, CommanderError } from "./vendor/commander.ts";
import type { CommandDefinition } from "./commands/definition.ts";
import { commands } from "./commands/index.ts";
import { addGlobals, type IsWanted, namedIn } from "./global-options.ts";
import type { RawGlobals } from "./config/types.ts";
import type { Context, World } from "./context.ts";
import type { Failure } from "./errors.ts";
import { allTyped, reachedCommand, typedOptions } from "./parsed.ts";
import { isTextRequest, parserFailure } from "./parser-errors.ts";

/** A command that was asked for, with its arguments. */
export interface CommandRequest {
  readonly globals: RawGlobals;
  /** Whether it runs without a look at the settings. */
  readonly withoutSettings: boolean;
  run(context: Context): Promise<number | void>;
}

/** A command line that asks for nothing that there is, and the options that stand in it all the same. */
export interface Misuse {
  readonly globals: RawGlobals;
  readonly failure: Failure;
}

/** A text that was asked for: help, or the version. */
export interface TextRequest {
  text(): Promise<string>;
}

/** What `world.argv` asks for. */
export function readArguments(world: World): CommandRequest | TextRequest | Misuse {
  const definitions = commandsFor(world.argv);
  if (definitions.length === 1) {
    const outcome = parseArguments(world, definitions, namedIn(world.argv));
    if ("run" in outcome) return outcome;
  }
  return parseArguments(world, definitions, () => true);
}

/** What `argv` asks for, told by a parser that knows `definitions` and the global options that are wanted. */
export function parseArguments(
  { argv, stdout, program }: Pick<World, "argv" | "stdout" | "program">,
  definitions: readonly CommandDefinition[],
  isWanted: IsWanted,
): CommandRequest | TextRequest | Misuse {
  const texts: string[] = [];
  const helped: Command[] = [];
  const found: CommandRequest[] = [];
  const root = makeProgram(collectTexts(texts, helped), definitions, (definition) => {
    return (run) => remember(found, definition, run);
  });
  // Of a line that begins with a command the root's own options can't be part.
  const [only, ...others] = root.commands;
  addGlobals(only && others.length === 0 ? only : root, program.version, isWanted);
  try {
    root.parse([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (!isTextRequest(error)) {
      return { globals: allTyped(root), failure: parserFailure(error, reachedCommand(root)) };
    }
  }
  return found[0] ?? { text: () => textOf(texts, helped[0], stdout) };
}

/** All commands with what they take, and none that runs: for what is told of them. */
export function describedProgram(version: string): Command {
  const root = makeProgram(new Command("pets"), commands, () => () => () => {});
  addGlobals(root, version, () => true);
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
function collectTexts(texts: string[], helped: Command[]): Command {
  const write = (text: string): void => void texts.push(text);
  return new Command("pets")
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => {} })
    .configureHelp({ formatHelp: (asked) => `${helped.push(asked)}` });
}

async function textOf(
  texts: readonly string[],
  helped: Command | undefined,
  { columns }: World["stdout"],
): Promise<string> {
  if (helped === undefined) return texts.join("");
  const { commandHelp } = await import("./help/texts.ts");
  return commandHelp(helped, columns);
}

/** The one command that `argv` begins with; all where it begins otherwise, or that one needs all. */
function commandsFor([first]: readonly string[]): readonly CommandDefinition[] {
  const named = commands.filter(({ name, needsAll }) => name === first && needsAll !== true);
  return named.length === 0 ? commands : named;
}

const remember =
  <Parameters extends unknown[]>(
    found: CommandRequest[],
    { withoutSettings = false }: CommandDefinition,
    run: (context: Context, ...parameters: Parameters) => Promise<number | void>,
  ): ((...parameters: Parameters) => void) =>
  (...parameters) => {
    const command = parameters.at(-1);
    if (!(command instanceof Command)) throw new TypeError("the parser named no command");
    found.push({
      globals: typedOptions(command),
      withoutSettings,
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
