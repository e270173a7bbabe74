import type { Context } from "../context.ts";
import { startDetached } from "./detach.ts";
import { serveUntilStopped } from "./serve-until-stopped.ts";
import type { ServeOptions } from "./options.ts";
import { readServeSettings, readSuiteSettings } from "./settings.ts";
import { listScenarios, runSuite } from "./suite/run-suite.ts";
import { serveWithChild } from "./with-child.ts";

export { runKeysAdd, runKeysList, runKeysRevoke } from "../keys/run.ts";

/**
 * Serves until a signal, starts a store in the background, or runs the command after `--` on a store of
 * its own. Returns the exit code. This is where the server's code is loaded.
 */
export async function runServe(
  context: Context,
  words: readonly string[],
  options: ServeOptions,
): Promise<number> {
  const suite = readSuiteSettings(context, words, options);
  if (suite?.isList) {
    await listScenarios(context, suite);
    return 0;
  }
  const settings = readServeSettings(context, words, suite ? { page: false } : options);
  if (suite && settings.command) return runSuite(context, suite, settings, settings.command);
  if (settings.command !== undefined) return serveWithChild(context, settings, settings.command);
  const isStarter = settings.isDetached && settings.startLog === undefined;
  return isStarter ? startDetached(context) : serveUntilStopped(context, settings);
}
