import { type KeySource, keySourceOf } from "../../config/connection.ts";
import { showLimiterUrl } from "../../config/limiter-server.ts";
import {
  currentProfile,
  type NamedProfile,
  type ProfileData,
  requireProfile,
} from "../../config/profiles/profiles.ts";
import { maskKey } from "../../core/api-key.ts";
import { hideUserInfo } from "../../core/user-info.ts";
import type { Column } from "../../output/columns.ts";
import { isTable } from "../../output/formats/index.ts";
import type { Context } from "../context.ts";

/** Prints profiles, or one; a table leaves out what none of them has, and in a list who made them. */
export async function printProfiles(
  context: Context,
  data: ProfileData,
  named: NamedProfile | readonly NamedProfile[],
): Promise<void> {
  const { settings } = context;
  const records = [named].flat().map((each) => profileRecord(context, data, each));
  const [only] = records;
  const isOne = only !== undefined && !Array.isArray(named);
  const isBrief = isTable(settings) && settings.fields === undefined;
  const isShown = ({ field }: Column): boolean =>
    !/^(?:limiter|made)/.test(field) ||
    ((isOne || field !== "madeByServe") && records.some((record) => record[field] !== undefined));
  const columns = isBrief ? context.columns.filter(isShown) : context.columns;
  const none = "No profiles. Create one with `pets login`.";
  await context.print(isOne ? only : records, { columns, none });
}

/** Returns a profile as a record: the key masked, `current` a star in a table and a boolean elsewhere. */
function profileRecord(
  { settings, secrets }: Context,
  data: ProfileData,
  { name, profile }: NamedProfile,
): Readonly<Record<string, string | boolean | undefined>> {
  const { limiter, limiterRequired, madeByServe } = profile;
  const key = keySourceOf({ name, profile });
  const current = currentProfile(data)?.name === name;
  return {
    name,
    baseUrl: hideUserInfo(profile.baseUrl),
    key: key && secrets.inMessage(shownKey(key)),
    current: isTable(settings) ? (current ? "*" : "") : current,
    limiter: limiter && showLimiterUrl(limiter),
    limiterRequired: limiter === undefined ? limiterRequired : (limiterRequired ?? false),
    madeByServe,
  };
}

/** Returns the key masked, or the command that prints it, as in a shell: `$(command)`. */
export function shownKey(key: KeySource): string {
  return "value" in key ? maskKey(key.value) : `$(${key.command})`;
}

/** Prints the profile that a command changed or removed, if a data format was requested. */
export async function printChanged(context: Context, data: ProfileData, name: string) {
  if (!isTable(context.settings)) await printProfiles(context, data, requireProfile(data, name));
}
