import { limiterOff } from "../../config/limiter-server.ts";
import type { SavedSettings } from "../../config/settings.ts";
import { usageFailure } from "../../core/errors.ts";
import type { Context } from "../context.ts";

/** The options of `pets login` on the limiter. */
export type LimiterOptions = Pick<SavedSettings, "limiter" | "limiterRequired">;

/**
 * Returns the limiter that a login saves: what its flags say, else what the profile had. Throws a usage Failure;
 * warns about a password in a flag.
 */
export async function settingsToSave(
  { settings, warn }: Pick<Context, "settings" | "warn">,
  options: LimiterOptions,
  saved: SavedSettings = {},
): Promise<LimiterOptions> {
  const { sources } = settings;
  // The environment is not saved.
  const typed = sources.limiter === "--limiter" ? options.limiter : undefined;
  const requires = sources.limiterRequired === "--limiter-required";
  const limiter = typed ?? saved.limiter;
  if (typed === limiterOff && requires)
    throw usageFailure("--limiter off and --limiter-required cannot be used together");
  if (limiter === undefined || limiter === limiterOff) {
    if (!requires) return {};
    throw usageFailure("--limiter-required needs --limiter");
  }
  if (typed !== undefined && settings.limiter?.password !== undefined)
    await warn(
      "the process list and the shell history show a password in --limiter: set PETS_LIMITER_PASSWORD instead",
    );
  // Another server is required only if this login says so.
  const isRequired = requires || (typed === undefined && saved.limiterRequired);
  return { limiter, ...(isRequired && { limiterRequired: true }) };
}
