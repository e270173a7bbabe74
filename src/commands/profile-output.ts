import { showBaseUrl } from "../config/base-url.ts";
import { maskKey } from "../core/api-key.ts";
import { currentProfile, type NamedProfile } from "../config/profiles/profiles.ts";
import type { ProfileData } from "../config/types.ts";
import type { Context } from "./context.ts";
import { profileColumns } from "../output/profiles.ts";
import { printRecords } from "./print.ts";

/** A profile as it is shown: the key masked, `current` a star in a table and a boolean elsewhere. */
interface ProfileRecord {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly current: boolean | string;
}

/** The profile as a record for the format that was asked for. */
export function profileRecord(
  { settings }: Context,
  data: ProfileData,
  { name, profile }: NamedProfile,
): ProfileRecord {
  const current = currentProfile(data)?.name === name;
  return {
    name,
    baseUrl: showBaseUrl(profile.baseUrl),
    key: profile.apiKey === undefined ? undefined : maskKey(profile.apiKey),
    current: settings.format === "table" ? (current ? "*" : "") : current,
  };
}

/** Prints the profile that a command has changed, where a data format was asked for. */
export async function printChanged(
  context: Context,
  data: ProfileData,
  named: NamedProfile,
): Promise<void> {
  if (context.settings.format === "table") return;
  await printRecords(context, [profileRecord(context, data, named)], profileColumns, {
    single: true,
  });
}
