import type { Command, CommanderError } from "commander";
import { meaningOf } from "../commands/unknown-command.ts";
import { type CommandModel, formsOf } from "../core/command-line.ts";
import { type Failure, usageFailure } from "../core/errors.ts";
import { shellCommand } from "../core/shell-quote.ts";
import { closeMatch } from "../core/strings.ts";

/** A command line that the parser refused. */
export interface RefusedLine {
  readonly argv: readonly string[];
  readonly platform: NodeJS.Platform;
  /** The command that the line leads to, as far as it names commands. */
  readonly command: Command;
  readonly definition: CommandModel;
}

/**
 * Returns an error of commander as a usage Failure (exit 2; commander itself would exit with 1), in our words
 * and with the command that was probably meant.
 */
export function parserFailure({ code, message }: CommanderError, line: RefusedLine): Failure {
  const { command } = line;
  const help = `see \`${pathOf(command)} --help\``;
  const [, quoted = ""] = /'(.*)'/s.exec(message) ?? [];
  if (code === "commander.unknownOption") return unknownOption(quoted, line, help);
  if (code === "commander.missingArgument") return usageFailure(`<${quoted}> is missing`, help);
  if (code === "commander.optionMissingArgument")
    return usageFailure(`${formsOf({ flags: quoted }).long} needs a value`, help);
  const [word = ""] = command.args;
  if (code === "commander.unknownCommand" || command.commands.length > 0)
    return unknownCommand(word, command, help);
  if (code === "commander.excessArguments") return excessArgument(command.args, line, help);
  return usageFailure(message.replace(/^error: /, "").replaceAll("'", '"'), help);
}

function unknownOption(flag: string, { command }: RefusedLine, help: string): Failure {
  const flags = command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
  const meant = closeMatch(flag, flags);
  const advice = meant === undefined ? "" : `; did you mean "${meant}"?`;
  return usageFailure(`unknown option ${JSON.stringify(flag)}${advice}`, help);
}

function unknownCommand(word: string, command: Command, help: string): Failure {
  const what = `unknown command ${JSON.stringify(word)}`;
  const names = command.commands.map((child) => child.name());
  const isRoot = command.parent === null;
  const meaning = isRoot ? meaningOf(word, names) : suggestion(closeMatch(word, names));
  const inGroup = isRoot ? "" : `; the commands of ${pathOf(command)} are ${names.join(", ")}`;
  return usageFailure(meaning === undefined ? `${what}${inGroup}` : `${what}; ${meaning}`, help);
}

function suggestion(word: string | undefined): string | undefined {
  return word === undefined ? undefined : `did you mean "${word}"?`;
}

/** Returns the Failure of an argument too many; a value of an option, such as a status, needs its flag. */
function excessArgument(
  words: readonly string[],
  { argv, platform, command, definition }: RefusedLine,
  help: string,
): Failure {
  const word = words[command.registeredArguments.length] ?? "";
  const what = `${pathOf(command)} takes no argument ${JSON.stringify(word)}`;
  const option = definition.options?.find(
    ({ values }) => values?.kind === "words" && closeMatch(word, values.words) !== undefined,
  );
  if (option?.values?.kind !== "words") return usageFailure(what, help);
  const at = argv.lastIndexOf(word);
  const value = closeMatch(word, option.values.words) ?? word;
  const meant = argv.flatMap((each, i) => (i === at ? [formsOf(option).long, value] : [each]));
  return usageFailure(
    `${what}; did you mean \`${shellCommand(["pets", ...meant], platform)}\`?`,
    help,
  );
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
