import type { CommanderError } from "commander";
import { type Failure, usageFailure } from "./errors.ts";

/** The codes with which commander tells that it has written help or version, and nothing is wrong. */
const textCodes = new Set(["commander.help", "commander.helpDisplayed", "commander.version"]);

/** Whether commander threw this because help or version was asked for. */
export function isTextRequest(error: CommanderError): boolean {
  return textCodes.has(error.code);
}

/**
 * Commander's complaint as a usage Failure (exit 2; commander itself would exit 1). Its message is
 * `error: what is wrong`, and on a second line, in brackets, what may have been meant.
 */
export function parserFailure(error: CommanderError, commandPath: string): Failure {
  const [first = "", ...rest] = error.message.split("\n");
  const meant = rest.map((line) => line.replaceAll(/^\(|\)$/g, ""));
  return usageFailure(
    first.replace(/^error: /, "").replace(/\.$/, ""),
    ...meant,
    `see \`${commandPath} --help\``,
  );
}
