import { parseArgs } from "node:util";
import { CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { type CommandRequest, requestOf } from "../commands/action.ts";
import type { Runtime } from "../commands/context.ts";
import { createProgram } from "../commands/index.ts";
import { meaningElsewhere } from "../commands/unknown-command.ts";
import { dashFailure, optionElsewhere } from "../commands/unknown-option.ts";
import type { TypedOptions } from "../config/settings.ts";
import { Failure, usageFailure } from "../core/errors.ts";
import { closeMatch } from "../core/strings.ts";
import { commandHelp } from "../help/command-help.ts";
import { commandTree, findCommand, commandPath } from "../help/tree.ts";

/** What a command line asks for, or why it is wrong. */
type ParsedLine = { readonly typed: TypedOptions } & (
  | { readonly request: CommandRequest }
  | { readonly failure: Failure }
);

/** Returns what `argv` asks for. Of the commands only the one that it names is built. */
export function parseCommandLine({
  argv,
  stdout,
  program: { version },
}: Pick<Runtime, "argv" | "stdout" | "program">): ParsedLine {
  const root = createProgram(argv[0]);
  for (const each of commandTree(root))
    each.exitOverride().configureOutput({ writeErr: () => {}, outputError: () => {} });
  const thrown = parse(root, argv);
  const command = resolvedCommand(root);
  const error = dashFailure(argv, command) ?? thrown;
  const code = error instanceof CommanderError ? error.code : undefined;
  const typed = typedOptions(root);
  // Without a command, commander shows help as well.
  const asksHelp = typed.help === true || code === "commander.help";
  const asksText = asksHelp || typed.version === true;
  const isRefused =
    code !== "commander.help" && !(asksText && code === "commander.missingArgument");
  if (error !== undefined && isRefused)
    return {
      typed: typedDespite(argv, root),
      failure: error instanceof Failure ? error : refusal(error, command),
    };
  const text = () =>
    typed.version === true ? `${version}\n` : commandHelp(command, stdout.columns);
  const request = asksText ? undefined : requestOf(root);
  return {
    typed,
    request: request ?? {
      command,
      ignoresEnvironment: true,
      run: (context) => context.stdout.write(text()),
    },
  };
}

function typedOptions(root: CommandUnknownOpts): TypedOptions {
  const typed = commandTree(root).flatMap((command) =>
    Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === "cli"),
  );
  return Object.fromEntries(typed);
}

/** Returns the options of a line that commander refused: it stops at the first wrong value, and `--json` may come later. */
function typedDespite(argv: readonly string[], root: CommandUnknownOpts): TypedOptions {
  const options = commandTree(root).flatMap((command) => command.options);
  const known = options.map(({ long, short, required }) => [
    long?.slice(2),
    { type: required ? "string" : "boolean", ...(short && { short: short.slice(1) }) } as const,
  ]);
  const { values } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(known),
    strict: false,
  });
  const typed = options.flatMap((option) => {
    const value = values[option.long?.slice(2) ?? ""];
    return value === undefined ? [] : [[option.attributeName(), option.negate ? false : value]];
  });
  return Object.fromEntries(typed);
}

/** Parses `argv`; returns what commander or a parser of ours throws. */
function parse(
  root: CommandUnknownOpts,
  argv: readonly string[],
): CommanderError | Failure | undefined {
  try {
    root.parse(argv, { from: "user" });
    return undefined;
  } catch (error) {
    if (error instanceof Failure || error instanceof CommanderError) return error;
    throw error;
  }
}

/** Returns an error of commander as a Failure in its own words. */
function refusal({ code, message }: CommanderError, command: CommandUnknownOpts): Failure {
  const help = `See \`${commandPath(command)} --help\`.`;
  const refuse = (what: string, suggestion?: string) =>
    usageFailure(what, ...(suggestion === undefined ? [help] : [suggestion, help]));
  const [word = ""] = command.args;
  const isRoot = command.parent === null;
  const meaning = isRoot && code === "commander.unknownCommand" && meaningElsewhere(word);
  if (meaning) return refuse(`unknown command '${word}'; ${meaning}`);
  if (code === "commander.excessArguments" && command.commands.length > 0) {
    // Commander passes an unknown word to the default command, which takes none.
    const names = command.commands.map((each) => each.name());
    const meant = closeMatch(word, names);
    return refuse(`unknown command '${word}'`, meant && `(Did you mean ${meant}?)`);
  }
  // Commander's suggestion is on a line of its own.
  const [, what = message, suggestion] =
    /^error: ([^]*?)(?:\n(\(Did you mean .*\)))?$/.exec(message) ?? [];
  const [, wrong = ""] = /'([^]*)'/.exec(what) ?? [];
  const elsewhere = code === "commander.unknownOption" && optionElsewhere(command, wrong);
  if (elsewhere) return refuse(`${what}; ${elsewhere}`);
  const isClose = closeMatch(wrong, suggestion?.match(/[\w-]+(?=[,?])/g) ?? []) !== undefined;
  return refuse(what, isClose ? suggestion : undefined);
}

function resolvedCommand(root: CommandUnknownOpts): CommandUnknownOpts {
  const [word] = root.args;
  const next = word === undefined ? undefined : findCommand(root, [word]);
  return next === undefined ? root : resolvedCommand(next);
}
