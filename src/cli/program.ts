import { Command, CommanderError } from "commander";
import type { CommandDefinition } from "../commands/command.ts";
import type { Context, Runtime } from "../commands/context.ts";
import type { TypedOptions } from "../config/settings.ts";
import { type CommandModel, namesOf, subcommandOf } from "../core/command-line.ts";
import type { Failure } from "../core/errors.ts";
import {
  addCommand,
  addGlobalOptions,
  explicitOptions,
  explicitOptionsBelow,
  isTextRequest,
  resolvedCommand,
} from "./commander-adapter.ts";
import { parserFailure } from "./parser-failure.ts";
import { pets } from "./pets.ts";

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

/** Returns what `argv` asks for: a command, or a text: help, or the version. */
export function parseCommandLine({
  argv,
  stdout,
  program: { version, platform },
}: Pick<Runtime, "argv" | "stdout" | "program">):
  | CommandRequest
  | { text(): Promise<string> }
  | UsageError {
  const texts: string[] = [];
  let helpFor: Command | undefined;
  let request: CommandRequest | undefined;
  const write = (text: string): void => void texts.push(text);
  const root = new Command(pets.name)
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => {} })
    .configureHelp({ formatHelp: (asked) => ((helpFor ??= asked), "") });
  root.exitOverride().helpCommand(false);
  for (const each of candidateCommands(argv))
    addCommand(root, each, ({ definition, command, input }) => {
      request ??= {
        globals: explicitOptions(command),
        withoutSettings: definition.skipSettings ?? false,
        run: async (context) => definition.run?.(context, await input()),
      };
    });
  addGlobalOptions(root, version);
  try {
    root.parse([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (!isTextRequest(error)) {
      const command = resolvedCommand(root);
      const definition = definitionOf(command);
      const failure = parserFailure(error, { argv, platform, command, definition });
      return { globals: explicitOptionsBelow(root), failure };
    }
  }
  return request ?? { text: async () => (helpFor ? helpOf(helpFor, stdout) : texts.join("")) };
}

/** Returns the one command that `argv` begins with; all of them if it begins with none. */
function candidateCommands([first = ""]: readonly string[]): readonly CommandDefinition[] {
  const named = pets.subcommands.filter((each) => namesOf(each).includes(first));
  return named.length === 0 ? pets.subcommands : named;
}

async function helpOf(command: Command, { columns }: Runtime["stdout"]): Promise<string> {
  const { commandHelp, findCommand } = await import("../help/index.ts");
  return commandHelp(findCommand(pets, namesBelowRoot(command)) ?? [pets], columns);
}

function definitionOf(command: Command): CommandModel {
  return namesBelowRoot(command).reduce<CommandModel>(
    (above, name) => subcommandOf(above, name) ?? above,
    pets,
  );
}

function namesBelowRoot(command: Command): readonly string[] {
  return command.parent === null ? [] : [...namesBelowRoot(command.parent), command.name()];
}
