import { isTable } from "../../output/formats/index.ts";
import { showBaseUrl } from "../../config/base-url.ts";
import { showLimiterUrl } from "../../config/limiter-server.ts";
import { currentProfile, type NamedProfile } from "../../config/profiles/profiles.ts";
import type { Profile, ProfileData } from "../../config/types.ts";
import { maskKey } from "../../core/api-key.ts";
import type { Context } from "../context.ts";
import type { RecordPrinter } from "../print.ts";

/** A profile as it is printed: the key masked, `current` a star in a table and a boolean elsewhere. */
interface ProfileRecord {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly current: boolean | string;
}

/** Returns a profile as a record for the format that was requested. */
export function profileRecord(
  { settings }: Context,
  data: ProfileData,
  { name, profile: shown }: NamedProfile,
): ProfileRecord {
  const current = currentProfile(data)?.name === name;
  return {
    name,
    baseUrl: showBaseUrl(shown.baseUrl),
    key: shownKey(shown),
    current: isTable(settings) ? (current ? "*" : "") : current,
  };
}

/** Returns a profile with the limiter that it names, if it names one. */
export function wholeProfileRecord(context: Context, data: ProfileData, named: NamedProfile) {
  const { limiter, limiterRequired = false } = named.profile;
  const record = profileRecord(context, data, named);
  if (limiter === undefined) return record;
  return { ...record, limiter: showLimiterUrl(limiter), limiterRequired };
}

/** Returns the key masked, or the command that prints it, as in a shell: `$(command)`. */
export function shownKey({ apiKey, keyCommand }: Profile): string | undefined {
  if (apiKey !== undefined) return maskKey(apiKey);
  return keyCommand === undefined ? undefined : `$(${keyCommand})`;
}

/** Prints the profile that a command changed, if a data format was requested. */
export async function printChanged(
  context: Context,
  printer: RecordPrinter,
  data: ProfileData,
  named: NamedProfile,
): Promise<void> {
  if (isTable(context.settings)) return;
  await printer.print([profileRecord(context, data, named)], {
    single: true,
  });
}
