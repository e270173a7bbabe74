import type { Context } from "../context.ts";
import { serveForeground } from "./foreground.ts";
import { readServeSettings, type ServeOptions } from "./settings.ts";
import { serveWithChild } from "./with-child.ts";

export { runKeysAdd, runKeysList, runKeysRevoke } from "../keys/run.ts";

/**
 * Serves until a signal, or runs the command after `--` on a store of its own. Returns the exit
 * code. This is where the server's code is loaded.
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
