import type { ConnectionTarget } from "../config/connection.ts";
import type { LimiterServer } from "../config/limiter-server.ts";
import {
  limiterFolder,
  limiterId,
  limiterPaths,
  logFiles,
} from "../rate-limiter/log/files/segment-paths.ts";
import type { LimiterStatus } from "../rate-limiter/rules/status.ts";
import type { Limiter } from "../rate-limiter/types.ts";
import type { Context } from "./context.ts";

/** Opens the rate limiter of `target` to read what is known, without running a key command. */
export function openKnownLimiter(context: Context, target: ConnectionTarget): Promise<Limiter> {
  const { baseUrl, key } = target;
  if ("value" in key) return context.limiter({ baseUrl, apiKey: key.value });
  return context.limiter({ state: stateName(target) });
}

/** Returns what is known about the limits of `target`, without a request and without writing anything. */
export async function readKnownLimits(
  context: Context,
  target: ConnectionTarget,
): Promise<LimiterStatus> {
  const isShared = (await context.limiterServer()) !== undefined;
  if (!isShared && logFiles(limiterPaths(context.folders.state, stateName(target))).length === 0)
    return { now: context.clock.now() };
  const limiter = await openKnownLimiter(context, target);
  await limiter.sync();
  return limiter.status();
}

/** A name that no limiter's state has, for a key command that has not printed a key yet. */
const unusedState = "0".repeat(32);

function stateName({ baseUrl, key, chosen }: ConnectionTarget): string {
  if ("value" in key) return limiterId(baseUrl.origin, key.value);
  return chosen?.profile.limiterState ?? unusedState;
}

/**
 * Makes this command try the server of the shared limiter, `server` or that of the settings, even if it
 * could not be used a moment ago: what is found now is what other commands go by (`help fleet`).
 */
export async function recheckLimiter(
  context: Pick<Context, "folders" | "limiterServer">,
  server?: LimiterServer | null,
): Promise<void> {
  const checked = server === undefined ? await context.limiterServer() : server;
  if (!checked) return;
  const { forgetTrouble } = await import("../rate-limiter/log/redis/trouble.ts");
  forgetTrouble({ folder: limiterFolder(context.folders.state), server: checked });
}
