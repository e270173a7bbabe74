import { isTable } from "../../output/formats/index.ts";
import { requireChosenProfile } from "../../config/connection.ts";
import {
  currentProfile,
  parseProfileName,
  requireProfile,
  withCurrent,
  withoutProfile,
} from "../../config/profiles/profiles.ts";
import type { Sourced } from "../../config/types.ts";
import { allProfileColumns, profileColumns } from "../../output/columns.ts";
import type { Context } from "../context.ts";
import { openPrinter } from "../print.ts";
import { printChanged, profileRecord, wholeProfileRecord } from "./record.ts";

/** The argument of a command on one profile. */
interface Named {
  readonly profile: string;
}

/** Lists the profiles by name. */
export async function listProfiles(context: Context): Promise<void> {
  const printer = await openPrinter(context, profileColumns);
  const data = await (await context.profiles()).read();
  const named = Object.entries(data.profiles).map(([name, kept]) => ({ name, profile: kept }));
  named.sort((a, b) => (a.name < b.name ? -1 : 1));
  const records = named.map((each) => profileRecord(context, data, each));
  await printer.print(records, { single: false });
  if (records.length === 0 && isTable(context.settings))
    await context.note("No profiles. Create one with `pets login`.");
}

/** Makes a profile the current one. */
export async function useProfile(context: Context, { profile }: Named): Promise<void> {
  const asked = askedProfile(profile);
  const printer = await openPrinter(context, profileColumns);
  const store = await context.profiles();
  const after = await store.update((data) => withCurrent(data, requireProfile(data, asked).name));
  await context.note(`Profile ${asked.value} is the current one.`);
  const other = context.settings.profile;
  if (other?.from === "PETS_PROFILE" && other.value !== asked.value)
    await context.note(`PETS_PROFILE is set to ${other.value} and takes precedence.`);
  await printChanged(context, printer, after, requireProfile(after, asked));
}

/** Shows the named profile, else the one that the settings name, else the current one. */
export async function showProfile(context: Context, { profile }: Partial<Named>): Promise<void> {
  const asked = profile === undefined ? undefined : askedProfile(profile);
  const whole = await openPrinter(context, allProfileColumns);
  const data = await (await context.profiles()).read();
  const named = asked ? requireProfile(data, asked) : requireChosenProfile(context.settings, data);
  const hasLimiter = named.profile.limiter !== undefined;
  const isWhole = hasLimiter || whole.fields !== undefined || !isTable(context.settings);
  const printer = isWhole ? whole : await openPrinter(context, profileColumns);
  await printer.print([wholeProfileRecord(context, data, named)], { single: true });
}

/** Removes a profile; if it was the current one, none is current. */
export async function removeProfile(context: Context, { profile }: Named): Promise<void> {
  const asked = askedProfile(profile);
  await openPrinter(context, profileColumns);
  const store = await context.profiles();
  const before = await store.read();
  const after = await store.update((data) =>
    withoutProfile(data, requireProfile(data, asked).name),
  );
  await context.note(`Removed profile ${asked.value}.`);
  if (Object.keys(after.profiles).length === 0)
    await context.note("No profiles are left. Create one with `pets login`.");
  else if (currentProfile(before)?.name === asked.value)
    await context.note("No profile is current now. Choose one with `pets profile use`.");
}

function askedProfile(text: string): Sourced<string> {
  return { value: parseProfileName(text, "<profile>"), from: "<profile>" };
}
