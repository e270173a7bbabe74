import type { Context } from "../context.ts";
import { removeLog } from "../../rate-limiter/log/segment-paths.ts";
import { limiterPaths } from "../../rate-limiter/log/name.ts";
import { runningText } from "./banner.ts";
import { runChild } from "./serve-child.ts";
import { type Service, startService } from "./start-service.ts";
import type { ServeSettings } from "./settings.ts";
import { childEnvironment, writePathShim } from "./child-environment.ts";

/**
 * Runs a command on a store of its own, and answers the command's exit code (store.md, Starting
 * it). The store says nothing unless asked to, and no profile is read or written.
 */
export async function serveCommand(
  context: Context,
  settings: ServeSettings,
  command: readonly [string, ...string[]],
): Promise<number> {
  const service = await startService(context, settings, undefined);
  try {
    const shim = writePathShim(context.program);
    try {
      if (context.settings.verbose) await context.stderr.write(runningText(service, command));
      context.signal.throwIfAborted();
      return await runChild(context, command, childEnvironment(context, service, shim.folder));
    } finally {
      shim.remove();
    }
  } finally {
    await service.stop();
    if (settings.port === 0) forgetLimits(context, service);
  }
}

/** Removes what `pets` has learnt of the limits of a store that nobody will meet again at this port. */
function forgetLimits({ folders }: Context, { baseUrl, keys }: Service): void {
  const { origin } = new URL(baseUrl);
  for (const { apiKey } of keys) removeLog(limiterPaths(folders.state, origin, apiKey));
}
