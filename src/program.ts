import { Command, CommanderError } from "./vendor/commander.ts";
import type { CommandDefinition } from "./commands/definition.ts";
import { examplesText } from "./commands/examples.ts";
import { helpTopics } from "./commands/help-topics.ts";
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
  readonly text: string;
}

const helpFooter = `
Help topics (pets help <topic>):
  ${Object.keys(helpTopics).join(", ")}`;

/** What `world.argv` asks for. */
export function readArguments(world: World): CommandRequest | TextRequest | Misuse {
  const texts: string[] = [];
  const found: CommandRequest[] = [];
  const root = makeProgram(world, (text) => texts.push(text), found);
  try {
    root.parse([...world.argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (!isTextRequest(error)) {
      return { globals: allTyped(root), failure: parserFailure(error, reachedCommand(root)) };
    }
  }
  return found[0] ?? { text: texts.join("") };
}

function makeProgram(world: World, write: (text: string) => void, found: CommandRequest[]) {
  const width = (): number => world.stdout.columns ?? 80;
  const root = new Command("pets")
    .description("List, add and fetch the animals of the Animal Adoption Store.")
    .exitOverride()
    .configureOutput({
      writeOut: write,
      writeErr: write,
      outputError: () => {},
      getOutHelpWidth: width,
      getErrHelpWidth: width,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .helpCommand(false)
    .addHelpText("after", helpFooter);
  for (const definition of commandsFor(world.argv)) {
    const { name, summary } = definition;
    const command = root.command(name).summary(summary);
    definition.configure(command, (run) => remember(found, definition, run));
  }
  describeCommands(root);
  addGlobals(root, world.program.version);
  return root;
}

/** The one command that `argv` begins with; all where it begins otherwise, or help may need any. */
function commandsFor([first]: readonly string[]): readonly CommandDefinition[] {
  const named = commands.filter(({ name }) => name === first && name !== "help");
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
function addGlobals(command: Command, version: string, path: readonly string[] = []): void {
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
    .helpOption("-h, --help", "print this help")
    .addHelpText("after", () => examplesText(path.join(" ")));
  for (const child of command.commands) addGlobals(child, version, [...path, child.name()]);
}
