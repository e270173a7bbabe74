import type { LimiterServer } from "../config/limiter-server.ts";
import { limiterFolders } from "../rate-limiter/log/files/segment-paths.ts";
import type { Context } from "./context.ts";

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
