import type { Command, CommanderError } from "commander";
import { type Failure, usageFailure } from "../core/errors.ts";

/** The codes with which commander tells that it has written help or version, and nothing is wrong. */
const helpCodes = new Set(["commander.help", "commander.helpDisplayed", "commander.version"]);

/** Commander's own guess, on a second line and in brackets. */
const suggestionPattern = /\n\(D(id you mean [^\n]*)\)$/;

/** Whether commander threw this because help or version was asked for. */
export function isTextRequest(error: CommanderError): boolean {
  return helpCodes.has(error.code);
}

/**
 * Commander's complaint about the words given to `command` as a usage Failure (exit 2; commander
 * itself would exit 1). Its message is `error: what is wrong`, and then what may have been meant.
 */
export function parserFailure(error: CommanderError, command: Command): Failure {
  const help = `see \`${pathOf(command)} --help\``;
  if (isUnknownSubcommand(error, command)) {
    const names = command.commands.map((child) => child.name()).join(", ");
    return usageFailure(
      `unknown command '${command.args[0]}' of ${pathOf(command)}; there are ${names}`,
      help,
    );
  }
  const meant = suggestionPattern.exec(error.message)?.[1];
  const problem = error.message.replace(suggestionPattern, "").replace(/^error: /, "");
  return usageFailure(
    problem.replace(/\.$/, ""),
    ...(meant === undefined ? [] : [`d${meant}`]),
    help,
  );
}

/** Whether words that name no subcommand were taken for too many arguments of the default one. */
function isUnknownSubcommand({ code }: CommanderError, { commands }: Command): boolean {
  return code === "commander.excessArguments" && commands.length > 0;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
