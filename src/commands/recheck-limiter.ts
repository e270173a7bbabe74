import type { LimiterServer } from "../config/limiter-server.ts";
import { limiterFolder } from "../rate-limiter/log/files/segment-paths.ts";
import type { Context } from "./context.ts";

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
