import { usageFailure } from "../../core/errors.ts";
import type { Context } from "../context.ts";
import { serveForeground } from "./foreground.ts";
import { readServeSettings, type ServeOptions } from "./settings.ts";
import { serveCommand } from "./with-child.ts";

export { runKeysAdd, runKeysList, runKeysRevoke } from "../keys/run.ts";

/**
 * Serves until it is told to stop, or runs the command behind `--` on a store of its own. Answers
 * the exit code. This is where the store is loaded.
 */
export async function runServe(
  context: Context,
  words: readonly string[],
  options: ServeOptions,
): Promise<number> {
  const settings = readServeSettings(context, words, options);
  return settings.command === undefined
    ? serveForeground(context, settings)
    : serveCommand(context, settings, settings.command);
}

/**
 * The command in `pets serve -- command args…`, or undefined where there is no `--`. `words` are
 * the operands as parsed, `argv` is the command line as typed. Throws a usage Failure for operands
 * before `--`, and for a `--` that nothing follows.
 */
export function parseChildCommand(
  words: readonly string[],
  argv: readonly string[],
): readonly [string, ...string[]] | undefined {
  const end = argv.indexOf("--");
  const behind = end === -1 ? 0 : argv.length - end - 1;
  const [before] = words.slice(0, Math.max(0, words.length - behind));
  if (before !== undefined)
    throw usageFailure(
      `pets serve takes no argument ${JSON.stringify(before)}`,
      "a command to run stands behind --, as in `pets serve -- pets list`",
    );
  if (end === -1) return undefined;
  const [command, ...rest] = words;
  if (command === undefined) throw usageFailure("no command stands behind --");
  return [command, ...rest];
}
