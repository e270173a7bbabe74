import { limiterOff, parseLimiterUrl, profileLimiter } from "../../config/limiter-server.ts";
import type { LimiterServer, Profile } from "../../config/types.ts";
import { usageFailure } from "../../core/errors.ts";
import type { Context } from "../context.ts";

/** What a profile says about the limiter that machines share. */
export type SavedLimiter = Pick<Profile, "limiter" | "limiterRequired">;

/**
 * Returns what a login saves about the limiter: what its flags say, else what `profile` had. Throws a usage
 * Failure; warns about a password in the flag.
 */
export async function givenLimiter(
  { warn }: Pick<Context, "warn">,
  flags: SavedLimiter,
  profile: SavedLimiter | undefined,
): Promise<SavedLimiter> {
  if (flags.limiter === limiterOff && flags.limiterRequired)
    throw usageFailure("--limiter off and --limiter-required cannot be used together");
  const limiter = flags.limiter ?? profile?.limiter;
  if (limiter === undefined || limiter === limiterOff) {
    if (!flags.limiterRequired) return {};
    throw usageFailure("--limiter-required needs --limiter with the URL of a server");
  }
  const server = parseLimiterUrl(
    limiter,
    flags.limiter === undefined ? "the limiter" : "--limiter",
  );
  if (flags.limiter !== undefined && server?.password !== undefined)
    await warn(
      "a password in --limiter can be seen by others, in the list of processes and the history of the shell: set PETS_LIMITER_PASSWORD instead",
    );
  const kept = flags.limiter === undefined && profile?.limiterRequired === true;
  return { limiter, ...((flags.limiterRequired || kept) && { limiterRequired: true }) };
}

/** Returns the server through which a login checks the key: undefined if the environment names it, null for none. */
export function loginLimiter(
  { settings, env }: Pick<Context, "settings" | "env">,
  name: string,
  saved: SavedLimiter,
): LimiterServer | null | undefined {
  if (settings.limiter !== undefined) return undefined;
  return profileLimiter(name, saved, settings, env) ?? null;
}
