import { Command, CommanderError } from "./vendor/commander.ts";
import type { CommandDefinition } from "./commands/definition.ts";
import { commands } from "./commands/index.ts";
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
  const texts: string[] = [];
  const helped: Command[] = [];
  const found: CommandRequest[] = [];
  const root = makeProgram(commandsFor(world.argv), world.program.version, (definition) => {
    return (run) => remember(found, definition, run);
  });
  configureTexts(root, texts, helped);
  try {
    root.parse([...world.argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (!isTextRequest(error)) {
      return { globals: allTyped(root), failure: parserFailure(error, reachedCommand(root)) };
    }
  }
  return found[0] ?? { text: () => textOf(texts, helped[0], world) };
}

/** All commands with what they take, and none that runs: for what is told of them. */
export function describedProgram(version: string): Command {
  return makeProgram(commands, version, () => () => () => {});
}

function makeProgram(
  definitions: readonly CommandDefinition[],
  version: string,
  actionOf: (definition: CommandDefinition) => Parameters<CommandDefinition["configure"]>[1],
): Command {
  const root = new Command("pets")
    .description("List, add and fetch the animals of the Animal Adoption Store.")
    .exitOverride()
    .helpCommand(false);
  for (const definition of definitions) {
    const { name, summary } = definition;
    definition.configure(root.command(name).summary(summary), actionOf(definition));
  }
  describeCommands(root);
  // Of a line that begins with a command the root's own options can't be part.
  root.enablePositionalOptions();
  if (root.commands.length === 1) addGlobalsBelow(root, version);
  else addGlobals(root, version);
  return root;
}

/** Makes the parser add to `texts` what it writes, and to `helped` the commands whose help is asked for. */
function configureTexts(command: Command, texts: string[], helped: Command[]): void {
  const write = (text: string): void => void texts.push(text);
  command
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => {} })
    .configureHelp({ formatHelp: (asked) => `${helped.push(asked)}` });
  for (const child of command.commands) configureTexts(child, texts, helped);
}

async function textOf(
  texts: readonly string[],
  helped: Command | undefined,
  { stdout }: World,
): Promise<string> {
  if (helped === undefined) return texts.join("");
  const { commandHelp } = await import("./help/texts.ts");
  return commandHelp(helped, stdout.columns);
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

// Every command gets the global options, rather than the root alone: the root would take
// `--json` in `pets add --name --json` for its own.
function addGlobals(command: Command, version: string): void {
  command.enablePositionalOptions().optionsGroup("Global options:");
  command
    .option("--profile <name>", "use this profile")
    .option("--base-url <url>", "talk to the service at this address")
    .option("-o, --output <format>", "table, json, ndjson, csv or tsv")
    .option("--json", "the same as --output json")
    .option("--fields <names>", "show these fields, in this order")
    .option("-q, --quiet", "no notes, warnings or progress")
    .option("-v, --verbose", "tell of each request and reply")
    .option("--no-color", "no colour")
    .option("--timeout <duration>", "give up on a request after this long (default 30s)")
    .option("--max-wait <duration>", "wait this long at most when told to (default 75s)")
    .option("--allow-http", "allow http: to other hosts than this one")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help");
  addGlobalsBelow(command, version);
}

function addGlobalsBelow(command: Command, version: string): void {
  for (const child of command.commands) addGlobals(child, version);
}
