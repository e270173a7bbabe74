import { showBaseUrl } from "../config/base-url.ts";
import { requireChosenProfile } from "../config/connection.ts";
import {
  currentProfile,
  type NamedProfile,
  parseProfileName,
  requireProfile,
  withCurrent,
  withoutProfile,
} from "../config/profiles/profiles.ts";
import type { ProfileData, Sourced } from "../config/types.ts";
import { maskKey } from "../core/api-key.ts";
import { profileColumns } from "../output/columns.ts";
import type { CommandDefinition } from "./command.ts";
import type { Context } from "./context.ts";
import { printRecords, selectFields } from "./print.ts";

const argument = "<profile>";

export const profile: CommandDefinition = {
  name: "profile",
  summary: "list, choose, show and remove profiles",
  configure(command, action) {
    const add = (name: string, summary: string, options = {}) =>
      command.command(name, options).summary(summary);
    add("list", "list the profiles", { isDefault: true }).action(action(runList));
    add("use", "make a profile the current one").argument(argument).action(action(runUse));
    add("show", "show a profile, or the current one").argument("[profile]").action(action(runShow));
    add("remove", "remove a profile and its key").argument(argument).action(action(runRemove));
  },
};

/** Lists the profiles by name. */
async function runList(context: Context): Promise<void> {
  await selectFields(context, profileColumns);
  const data = await (await context.profiles()).read();
  const named = Object.entries(data.profiles).map(([name, kept]) => ({ name, profile: kept }));
  named.sort((a, b) => (a.name < b.name ? -1 : 1));
  const records = named.map((each) => profileRecord(context, data, each));
  await printRecords(context, records, profileColumns, { single: false });
  if (records.length === 0 && context.settings.format === "table")
    await context.note("No profiles. `pets login` makes one.");
}

/** Makes the profile called `text` the current one. */
async function runUse(context: Context, text: string): Promise<void> {
  const asked = askedProfile(text);
  await selectFields(context, profileColumns);
  const store = await context.profiles();
  const after = await store.update((data) => withCurrent(data, requireProfile(data, asked).name));
  await context.note(`Profile ${asked.value} is the current one.`);
  const other = context.settings.profile;
  if (other?.from === "PETS_PROFILE" && other.value !== asked.value)
    await context.note(`PETS_PROFILE is set to ${other.value}, and is used in its place.`);
  await printChanged(context, after, requireProfile(after, asked));
}

/** Shows the profile called `text`, else the one that the settings name, else the current one. */
async function runShow(context: Context, text: string | undefined): Promise<void> {
  const asked = text === undefined ? undefined : askedProfile(text);
  await selectFields(context, profileColumns);
  const data = await (await context.profiles()).read();
  const named = asked ? requireProfile(data, asked) : requireChosenProfile(context.settings, data);
  await printRecords(context, [profileRecord(context, data, named)], profileColumns, {
    single: true,
  });
}

/** Removes the profile called `text`; when it was the current one, none is. */
async function runRemove(context: Context, text: string): Promise<void> {
  const asked = askedProfile(text);
  await selectFields(context, profileColumns);
  const store = await context.profiles();
  const before = await store.read();
  await store.update((data) => withoutProfile(data, requireProfile(data, asked).name));
  await context.note(`Removed profile ${asked.value}.`);
  if (currentProfile(before)?.name === asked.value)
    await context.note("No profile is current now. `pets profile use` chooses one.");
}

function askedProfile(text: string): Sourced<string> {
  return { value: parseProfileName(text, "PROFILE"), from: "PROFILE" };
}

/** A profile as it is shown: the key masked, `current` a star in a table and a boolean elsewhere. */
interface ProfileRecord {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly current: boolean | string;
}

/** The profile as a record for the format that was asked for. */
function profileRecord(
  { settings }: Context,
  data: ProfileData,
  { name, profile: shown }: NamedProfile,
): ProfileRecord {
  const current = currentProfile(data)?.name === name;
  return {
    name,
    baseUrl: showBaseUrl(shown.baseUrl),
    key: shown.apiKey === undefined ? undefined : maskKey(shown.apiKey),
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
