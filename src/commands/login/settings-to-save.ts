import { limiterOff } from "../../config/limiter-server.ts";
import type { SavedSettings } from "../../config/setting-table.ts";
import { savedIn, typedSettings } from "../../config/settings.ts";
import { usageFailure } from "../../core/errors.ts";
import type { Context } from "../context.ts";

/**
 * Returns the settings that a login saves: what its flags say, else what the profile had. Throws a usage Failure;
 * warns about a password in a flag.
 */
export async function settingsToSave(
  { settings, warn }: Pick<Context, "settings" | "warn">,
  profile: SavedSettings = {},
): Promise<SavedSettings> {
  const typed = typedSettings(settings);
  const { limiter, limiterRequired, ...others } = { ...savedIn(profile), ...typed };
  if (typed.limiter === limiterOff && typed.limiterRequired)
    throw usageFailure("--limiter off and --limiter-required cannot be used together");
  if (limiter === undefined || limiter === limiterOff) {
    if (!typed.limiterRequired) return others;
    throw usageFailure("--limiter-required needs --limiter with the URL of a server");
  }
  if (typed.limiter !== undefined && settings.limiter?.password !== undefined)
    await warn(
      "a password in --limiter can be seen by others, in the list of processes and the history of the shell: set PETS_LIMITER_PASSWORD instead",
    );
  // Another server is required only if this login says so.
  const isRequired = typed.limiter === undefined ? limiterRequired : typed.limiterRequired;
  return { ...others, limiter, ...(isRequired && { limiterRequired: true }) };
}
