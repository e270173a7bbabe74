import { chooseExisting } from "../../config/profiles/choose.ts";
import { parseProfileName } from "../../config/profiles/name.ts";
import {
  currentProfile,
  requireProfile,
  withCurrent,
  withoutProfile,
} from "../../config/profiles/profiles.ts";
import { profileColumns as columns } from "../../output/columns.ts";
import type { Context } from "../context.ts";
import { newCommand } from "../new-command.ts";
import { printChanged, printProfiles } from "./record.ts";

const parseName = (name: string): string => parseProfileName(name, "the profile name");

const list = (getContext: () => Context) =>
  newCommand("list", "list profiles", {
    columns,
    examples: ["pets profile list", "pets profile list --json | jq -r '.[].name'"],
  }).action(() => listProfiles(getContext()));

const use = (getContext: () => Context) =>
  newCommand("use", "make a profile the current one", {
    columns,
    examples: ["pets profile use staging", "pets profile use local && pets list"],
  })
    .argument("<profile>", "", parseName)
    .action((name) => useProfile(getContext(), name));

const show = (getContext: () => Context) =>
  newCommand("show", "show a profile, or the current one", {
    columns,
    examples: ["pets profile show", "pets profile show staging -o tsv --fields baseUrl"],
  })
    .argument("[profile]", "", parseName)
    .action((name) => showProfile(getContext(), name));

const remove = (getContext: () => Context) =>
  newCommand("remove", "remove a profile and its key", {
    columns,
    examples: [
      "pets profile remove staging",
      "pets profile use default && pets profile remove staging",
    ],
    notes: "If it was the current profile, no profile is current afterwards.",
  })
    .argument("<profile>", "", parseName)
    .action((name) => removeProfile(getContext(), name));

export const profile = (getContext: () => Context) =>
  newCommand("profile", "list, choose, show and remove profiles", {
    columns,
    examples: ["pets profile", "pets profile use staging"],
    notes: "Without a command it lists them. Keys are only shown masked.",
  })
    .addCommand(list(getContext), { isDefault: true })
    .addCommand(use(getContext))
    .addCommand(show(getContext))
    .addCommand(remove(getContext));

async function listProfiles(context: Context): Promise<void> {
  const data = await (await context.profiles()).read();
  const names = Object.keys(data.profiles).sort();
  const named = names.map((name) => requireProfile(data, name));
  await printProfiles(context, data, named);
}

async function useProfile(context: Context, name: string): Promise<void> {
  const store = await context.profiles();
  const after = await store.update((data) => withCurrent(data, requireProfile(data, name).name));
  await context.note(`Profile ${name} is the current one.`);
  const { given, profile: other } = context.settings;
  if (given.profile?.from === "PETS_PROFILE" && other !== name)
    await context.note(`PETS_PROFILE is set to ${other} and takes precedence.`);
  await printChanged(context, after, name);
}

/** Shows the named profile, else the one that the settings name, else the current one. */
async function showProfile(context: Context, name: string | undefined): Promise<void> {
  const data = await (await context.profiles()).read();
  const named =
    name === undefined ? chooseExisting(context.settings, data) : requireProfile(data, name);
  await printProfiles(context, data, named);
}

async function removeProfile(context: Context, name: string): Promise<void> {
  const store = await context.profiles();
  const before = await store.read();
  const after = await store.update((data) => withoutProfile(data, requireProfile(data, name).name));
  await context.note(`Removed profile ${name}.`);
  if (Object.keys(after.profiles).length === 0)
    await context.note("No profiles are left. Create one with `pets login`.");
  else if (currentProfile(before)?.name === name)
    await context.note("No profile is current now. Choose one with `pets profile use`.");
  await printChanged(context, before, name);
}
