import { CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { type CommandRequest, requestOf } from "../commands/action.ts";
import type { Runtime } from "../commands/context.ts";
import { createProgram } from "../commands/index.ts";
import { meaningElsewhere } from "../commands/unknown-command.ts";
import { Failure, usageFailure } from "../core/errors.ts";
import { closeMatch } from "../core/strings.ts";
import { showHelpBy } from "../help/command-help.ts";
import { commandTree, findCommand, wordsOf } from "../help/tree.ts";

/** The options of a command line as they were typed, by name, even if commander refused the line. */
export type TypedOptions = Readonly<Record<string, unknown>>;

/** What a command line asks for: a command, or help or the version as a text; or why it is wrong. */
type ParsedLine = { readonly typed: TypedOptions } & (
  | { readonly request: CommandRequest }
  | { readonly text: string }
  | { readonly failure: Failure }
);

/** Returns what `argv` asks for. Of the commands only the one that it names is built. */
export function parseCommandLine({
  argv,
  stdout,
  program: { version },
}: Pick<Runtime, "argv" | "stdout" | "program">): ParsedLine {
  const root = createProgram(version, argv[0]);
  const texts: string[] = [];
  for (const command of commandTree(root)) {
    command.exitOverride();
    showHelpBy((text) => void texts.push(text), command, stdout.columns);
  }
  const failure = parse(root, argv);
  if (failure !== undefined) return { typed: typedDespite(argv, version), failure };
  const typed = typedOptions(root);
  const request = requestOf(root);
  if (request !== undefined) return { typed, request };
  return { typed, text: texts.join("") };
}

function typedOptions(root: CommandUnknownOpts): TypedOptions {
  const typed = commandTree(root).flatMap((command) =>
    Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === "cli"),
  );
  return Object.fromEntries(typed);
}

/** Returns the options of a line that commander refused: it stops at the first wrong value, and `--json` may come later. */
function typedDespite(argv: readonly string[], version: string): TypedOptions {
  const root = createProgram(version, argv[0]);
  for (const command of commandTree(root)) {
    command.exitOverride().configureOutput({ outputError: () => {} });
    for (const part of [...command.options, ...command.registeredArguments]) delete part.parseArg;
  }
  parse(root, argv);
  return typedOptions(root);
}

/** Commander's codes for requested help or version. */
const textCodes = new Set(["commander.help", "commander.helpDisplayed", "commander.version"]);

/** Parses `argv`; returns what is wrong with it as a usage Failure (exit 2; commander itself would exit with 1). */
function parse(root: CommandUnknownOpts, argv: readonly string[]): Failure | undefined {
  try {
    root.parse(argv, { from: "user" });
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    if (!(error instanceof CommanderError)) throw error;
    return textCodes.has(error.code) ? undefined : refusal(error, resolvedCommand(root));
  }
}

/** Returns an error of commander as a Failure in its own words. */
function refusal({ code, message }: CommanderError, command: CommandUnknownOpts): Failure {
  const help = `See \`${wordsOf(command)} --help\`.`;
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
  return refuse(what, suggestion);
}

function resolvedCommand(root: CommandUnknownOpts): CommandUnknownOpts {
  const [word] = root.args;
  const next = word === undefined ? undefined : findCommand(root, [word]);
  return next === undefined ? root : resolvedCommand(next);
}
