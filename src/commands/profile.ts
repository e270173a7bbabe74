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
import type { Profile, ProfileData, Sourced } from "../config/types.ts";
import { maskKey } from "../core/api-key.ts";
import { profileColumns } from "../output/columns.ts";
import { fieldNames, profiles } from "../completion/values.ts";
import type { CommandDefinition } from "./command.ts";
import type { Context } from "./context.ts";
import { openPrinter, type RecordPrinter } from "./print.ts";

const fields = fieldNames("profile_fields", profileColumns);
/** What a list of the profiles prints in the examples: these four, by name. */
const listed = /^NAME .*\ndefault .*\n(?:local.*\n)+other .*\nstaging .*\n$/;

const profileList: CommandDefinition = {
  name: "list",
  summary: "list profiles",
  isDefault: true,
  fields,
  examples: [
    { line: "pets profile list", stdout: listed },
    {
      line: "pets profile list --json | jq -r '.[].name'",
      stdout: /^default\nlocal\n(?:local-\d+\n)*other\nstaging\n$/,
    },
  ],
  run: listProfiles,
};

const profileUse: CommandDefinition = {
  name: "use",
  summary: "make a profile the current one",
  arguments: [{ syntax: "<profile>", values: profiles }],
  fields,
  examples: [
    { line: "pets profile use staging", stderr: /staging is the current/ },
    {
      line: "pets profile use local && pets list",
      stdout: /^ID +NAME +CATEGORY +STATUS$/m,
      stderr: /local is the current/,
    },
  ],
  run: useProfile,
};

const profileShow: CommandDefinition = {
  name: "show",
  summary: "show a profile, or the current one",
  arguments: [{ syntax: "[profile]", values: profiles }],
  fields,
  examples: [
    { line: "pets profile show", stdout: /^default +https:\/\/store/m },
    {
      line: "pets profile show staging -o tsv --fields baseUrl",
      stdout: /^baseUrl\nhttps:\/\/staging\.example\/v1\n$/,
    },
  ],
  run: showProfile,
};

const profileRemove: CommandDefinition = {
  name: "remove",
  summary: "remove a profile and its key",
  arguments: [{ syntax: "<profile>", values: profiles }],
  fields,
  notes: ["If it was the current profile, no profile is current afterwards."],
  examples: [
    { line: "pets profile remove staging", stderr: /Removed profile staging/ },
    {
      line: "pets profile use default && pets profile remove staging",
      stderr: /Removed profile staging/,
      afterwards: { "pets profile show -o tsv --fields name": /^name\ndefault\n$/ },
    },
  ],
  run: removeProfile,
};

export const profile: CommandDefinition = {
  name: "profile",
  summary: "list, choose, show and remove profiles",
  subcommands: [profileList, profileUse, profileShow, profileRemove],
  fields,
  notes: ["Without a command it lists them. Keys are only shown masked."],
  examples: [
    { line: "pets profile", stdout: listed },
    { line: "pets profile use staging", stderr: /staging is the current/ },
  ],
};

/** Lists the profiles by name. */
async function listProfiles(context: Context): Promise<void> {
  const printer = await openPrinter(context, profileColumns);
  const data = await (await context.profiles()).read();
  const named = Object.entries(data.profiles).map(([name, kept]) => ({ name, profile: kept }));
  named.sort((a, b) => (a.name < b.name ? -1 : 1));
  const records = named.map((each) => profileRecord(context, data, each));
  await printer.print(records, { single: false });
  if (records.length === 0 && context.settings.format === "table")
    await context.note("No profiles. Create one with `pets login`.");
}

/** Makes the profile called `text` the current one. */
async function useProfile(context: Context, text: string): Promise<void> {
  const asked = askedProfile(text);
  const printer = await openPrinter(context, profileColumns);
  const store = await context.profiles();
  const after = await store.update((data) => withCurrent(data, requireProfile(data, asked).name));
  await context.note(`Profile ${asked.value} is the current one.`);
  const other = context.settings.profile;
  if (other?.from === "PETS_PROFILE" && other.value !== asked.value)
    await context.note(`PETS_PROFILE is set to ${other.value} and takes precedence.`);
  await printChanged(context, printer, after, requireProfile(after, asked));
}

/** Shows the profile called `text`, else the one that the settings name, else the current one. */
async function showProfile(context: Context, text: string | undefined): Promise<void> {
  const asked = text === undefined ? undefined : askedProfile(text);
  const printer = await openPrinter(context, profileColumns);
  const data = await (await context.profiles()).read();
  const named = asked ? requireProfile(data, asked) : requireChosenProfile(context.settings, data);
  await printer.print([profileRecord(context, data, named)], {
    single: true,
  });
}

/** Removes the profile called `text`; if it was the current one, none is current. */
async function removeProfile(context: Context, text: string): Promise<void> {
  const asked = askedProfile(text);
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
  return { value: parseProfileName(text, "PROFILE"), from: "PROFILE" };
}

/** A profile as it is printed: the key masked, `current` a star in a table and a boolean elsewhere. */
interface ProfileRecord {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly current: boolean | string;
}

/** Returns a profile as a record for the format that was requested. */
function profileRecord(
  { settings }: Context,
  data: ProfileData,
  { name, profile: shown }: NamedProfile,
): ProfileRecord {
  const current = currentProfile(data)?.name === name;
  return {
    name,
    baseUrl: showBaseUrl(shown.baseUrl),
    key: shownKey(shown),
    current: settings.format === "table" ? (current ? "*" : "") : current,
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
  if (context.settings.format === "table") return;
  await printer.print([profileRecord(context, data, named)], {
    single: true,
  });
}
