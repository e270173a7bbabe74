import type { Context } from "../context.ts";
import { serveForeground } from "./foreground.ts";
import { readServeSettings, type ServeOptions } from "./settings.ts";
import { serveWithChild } from "./with-child.ts";

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
    : serveWithChild(context, settings, settings.command);
}
