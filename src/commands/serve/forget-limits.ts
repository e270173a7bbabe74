import { limiterPaths, removeLog } from "../../rate-limiter/log/files/segment-paths.ts";
import type { Context } from "../context.ts";
import type { Service } from "./start-service.ts";

/** Removes the rate limiter's logs of a store whose keys will not be used again. */
export function forgetLimits(
  { folders }: Context,
  { baseUrl, keys }: Pick<Service, "baseUrl" | "keys">,
): void {
  const { origin } = new URL(baseUrl);
  for (const { apiKey } of keys) removeLog(limiterPaths(folders.state, origin, apiKey));
}
