import { showBaseUrl } from "../../config/base-url.ts";
import { showLimiterUrl } from "../../config/limiter-server.ts";
import {
  currentProfile,
  type NamedProfile,
  type Profile,
  type ProfileData,
} from "../../config/profiles/profiles.ts";
import { maskKey } from "../../core/api-key.ts";
import { isTable } from "../../output/formats/index.ts";
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

/** Returns the settings that a profile has besides the base URL, if any. */
export function savedRecord({ limiter, limiterRequired }: Profile) {
  if (limiter === undefined && limiterRequired === undefined) return {};
  return {
    ...(limiter !== undefined && { limiter: showLimiterUrl(limiter) }),
    limiterRequired: limiterRequired ?? false,
  };
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
  await printer.print(profileRecord(context, data, named));
}
