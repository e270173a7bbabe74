import type { Context } from "../context.ts";
import { serveWithChild } from "./child/with-child.ts";
import { startDetached } from "./detach.ts";
import { serveUntilStopped } from "./serve-until-stopped.ts";
import type { ServeOptions } from "./settings/options.ts";
import { checkSuiteOptions, readServeSettings } from "./settings/settings.ts";
import { listScenarios, runSuite } from "./suite/run-suite.ts";

export { runKeysAdd, runKeysList, runKeysRevoke } from "../keys/stored-keys.ts";

/**
 * Serves until a signal, starts a store in the background, or runs the command after `--` on a store of
 * its own. Returns the exit code. This is where the server's code is loaded.
 */
export async function runServe(
  context: Context,
  words: readonly string[],
  options: ServeOptions,
): Promise<number> {
  if (options.suite === true) {
    checkSuiteOptions(context, words, options);
    if (options.list === true) return listScenarios(context, options);
  }
  const settings = readServeSettings(context, words, options.suite ? { page: false } : options);
  const { command } = settings;
  if (command !== undefined)
    return options.suite
      ? runSuite(context, options, settings, command)
      : serveWithChild(context, settings, command);
  const isStarter = settings.detach && settings.detached === undefined;
  if (isStarter) return startDetached(context);
  await serveUntilStopped(context, settings);
  return 0;
}
