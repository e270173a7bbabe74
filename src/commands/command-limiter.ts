import type { ServiceTarget } from "../config/connection.ts";
import type { LimiterServer } from "../config/limiter-server.ts";
import { limiterFolders, limiterPaths, logFiles } from "../rate-limiter/log/files/segment-paths.ts";
import type { LimiterStatus } from "../rate-limiter/rules/status.ts";
import type { Context } from "./context.ts";

/** Returns what is known about the limits of `target`, without a request, a key command or writing anything. */
export async function readKnownLimits(
  context: Context,
  { baseUrl, key }: ServiceTarget,
): Promise<LimiterStatus> {
  const unknown = { now: context.clock.now() };
  if (!("value" in key)) return unknown;
  const places = limiterPaths(context.folders, baseUrl.origin, key.value);
  const isShared = (await context.service.limiterServer()) !== undefined;
  if (!isShared && places.every((files) => logFiles(files).length === 0)) return unknown;
  const limiter = await context.service.limiter({ baseUrl, apiKey: key.value });
  await limiter.sync();
  return limiter.status();
}

/** Makes this command and later ones try `server`, or that of the settings, even if it could not be used a moment ago. */
export async function recheckLimiter(
  context: Pick<Context, "folders" | "service">,
  server?: LimiterServer | null,
): Promise<void> {
  const checked = server === undefined ? await context.service.limiterServer() : server;
  if (!checked) return;
  const { forgetProblem } = await import("../rate-limiter/log/redis/problem.ts");
  for (const folder of limiterFolders(context.folders)) forgetProblem({ folder, server: checked });
}
