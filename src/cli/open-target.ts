import type { Context } from "../commands/context.ts";
import type { ConnectionTarget, ServiceConnection } from "../config/connection.ts";
import { findProfile, type NamedProfile, withProfile } from "../config/profiles/profiles.ts";
import { Failure } from "../core/errors.ts";

/** Returns the connection to `target`. Throws an auth Failure (exit 4) if its key command prints no key. */
export async function openTarget(
  context: Context,
  { baseUrl, key, chosen }: ConnectionTarget,
): Promise<ServiceConnection> {
  const profile = chosen && { profile: chosen.name };
  if ("value" in key) return { baseUrl, apiKey: key.value, ...profile };
  const apiKey = await context.runKeyCommand(key.command);
  if (chosen !== undefined) await saveLimiterState(context, chosen, { baseUrl, apiKey });
  return { baseUrl, apiKey, ...profile, fromCommand: true };
}

/**
 * Saves the name of the limiter's state in the profile, so that `pets limits` needs no key. Ignores a
 * profile file that can't be written.
 */
async function saveLimiterState(
  context: Context,
  { name, profile }: NamedProfile,
  { baseUrl, apiKey }: ServiceConnection,
): Promise<void> {
  const { limiterId } = await import("../rate-limiter/log/files/segment-paths.ts");
  const limiterState = limiterId(baseUrl.origin, apiKey);
  if (profile.limiterState === limiterState) return;
  try {
    const store = await context.profiles();
    await store.update((data) => {
      const found = findProfile(data, name);
      // Another `pets login` may have replaced it in the meantime.
      if (found?.keyCommand !== profile.keyCommand || found?.baseUrl !== profile.baseUrl)
        return data;
      return withProfile(data, name, { ...found, limiterState });
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}
