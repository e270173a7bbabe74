import { requireChosenProfile } from "../../config/connection.ts";
import { parseProfileName } from "../../config/profiles/name.ts";
import {
  currentProfile,
  requireProfile,
  withCurrent,
  withoutProfile,
} from "../../config/profiles/profiles.ts";
import { isTable } from "../../output/formats/index.ts";
import type { Context } from "../context.ts";
import { printChanged, printProfiles } from "./record.ts";

/** What messages call the argument of a command on one profile. */
const from = "<profile>";

/** Lists the profiles by name. */
export async function listProfiles(context: Context): Promise<void> {
  const data = await (await context.profiles()).read();
  const named = Object.entries(data.profiles).map(([name, kept]) => ({ name, profile: kept }));
  named.sort((a, b) => (a.name < b.name ? -1 : 1));
  await printProfiles(context, data, named);
  if (named.length === 0 && isTable(context.settings))
    await context.note("No profiles. Create one with `pets login`.");
}

/** Makes a profile the current one. */
export async function useProfile(context: Context, profile: string): Promise<void> {
  const name = parseProfileName(profile, from);
  const store = await context.profiles();
  const after = await store.update((data) => withCurrent(data, requireProfile(data, name).name));
  await context.note(`Profile ${name} is the current one.`);
  const { given, profile: other } = context.settings;
  if (given.profile?.from === "PETS_PROFILE" && other !== name)
    await context.note(`PETS_PROFILE is set to ${other} and takes precedence.`);
  await printChanged(context, after, requireProfile(after, name));
}

/** Shows the named profile, else the one that the settings name, else the current one. */
export async function showProfile(context: Context, profile: string | undefined): Promise<void> {
  const name = profile === undefined ? undefined : parseProfileName(profile, from);
  const data = await (await context.profiles()).read();
  const named =
    name === undefined ? requireChosenProfile(context.settings, data) : requireProfile(data, name);
  await printProfiles(context, data, named);
}

/** Removes a profile; if it was the current one, none is current. */
export async function removeProfile(context: Context, profile: string): Promise<void> {
  const name = parseProfileName(profile, from);
  const store = await context.profiles();
  const before = await store.read();
  const after = await store.update((data) => withoutProfile(data, requireProfile(data, name).name));
  await context.note(`Removed profile ${name}.`);
  if (Object.keys(after.profiles).length === 0)
    await context.note("No profiles are left. Create one with `pets login`.");
  else if (currentProfile(before)?.name === name)
    await context.note("No profile is current now. Choose one with `pets profile use`.");
}
