import { showBaseUrl } from "../../config/base-url.ts";
import {
  currentProfile,
  type NamedProfile,
  type Profile,
  type ProfileData,
} from "../../config/profiles/profiles.ts";
import { isSwitch, settingList } from "../../config/setting-table.ts";
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

/** Returns the settings that a profile has besides the base URL, if any; of those, a switch that it has not is off. */
export function savedRecord(profile: Profile): Readonly<Record<string, string | boolean>> {
  const held = new Map<string, string | boolean>(Object.entries(profile));
  const others = settingList.filter(({ name, saved }) => saved !== undefined && name !== "baseUrl");
  if (!others.some(({ name }) => held.has(name))) return {};
  const shown = others.flatMap(({ name, show = String, ...setting }) => {
    const value = held.get(name) ?? (isSwitch(setting) ? false : undefined);
    return value === undefined ? [] : [[name, typeof value === "string" ? show(value) : value]];
  });
  return Object.fromEntries(shown);
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
