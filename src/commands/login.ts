import { maskKey } from "../core/api-key.ts";
import {
  currentProfile,
  findProfile,
  type NamedProfile,
  withCurrent,
  withProfile,
} from "../config/profiles/profiles.ts";
import { localProfile } from "../config/profiles/serve-profile.ts";
import type { ServiceConnection, ProfileData } from "../config/types.ts";
import type { Context } from "./context.ts";
import { profileColumns } from "../output/columns.ts";
import { fieldNames } from "../completion/values.ts";
import type { CommandDefinition } from "./command.ts";
import { loginBaseUrl, loginKey } from "./login-prompts.ts";
import { openPrinter } from "./print.ts";
import { printChanged } from "./profile.ts";

/** The profile that a first login makes. */
const defaultProfile = "default";

interface LoginOptions {
  /** False for `--no-verify`. */
  readonly verify: boolean;
}

export const login: CommandDefinition = {
  name: "login",
  summary: "save an API key and base URL as a profile",
  options: [{ flags: "--no-verify", description: "save the key without checking it" }],
  fields: fieldNames("profile_fields", profileColumns),
  notes: [
    `The key is read from standard input, or from a hidden prompt on a terminal. It is checked with one request before anything is saved. The profile then becomes the current one.`,
    `Profile: --profile, then PETS_PROFILE, then the current one, otherwise \`default\`. A service elsewhere is not saved to \`${localProfile}\`, which belongs to \`pets serve\`.`,
  ],
  examples: [
    {
      line: "pets login --base-url https://store.example/v1",
      stderr: /Logged in: profile default, base URL https:\/\/store\.example\/v1/,
    },
    {
      line: "pets login --profile staging --base-url https://staging.example/v1 < key.txt",
      stderr: /Logged in: profile staging, base URL https:\/\/staging\.example/,
    },
  ],
  run: runLogin,
};

/** Reads base URL and key, tries them, keeps them in a profile and makes that the current one. */
async function runLogin(context: Context, { verify }: LoginOptions): Promise<void> {
  const printer = await openPrinter(context, profileColumns);
  const store = await context.profiles();
  const before = await store.read();
  const name = profileName(context, before);
  const baseUrl = await loginBaseUrl(context, namedProfile(before, name));
  const connection = { baseUrl, apiKey: await loginKey(context) };
  if (verify) await verifyKey(context, connection);
  const after = await store.update((data) => withLogin(data, name, connection));
  await noteLogin(context, name, connection, verify);
  await printChanged(context, printer, after, { name, profile: profileEntry(connection) });
}

function profileName({ settings: { profile, baseUrl } }: Context, data: ProfileData): string {
  if (profile !== undefined) return profile.value;
  const current = currentProfile(data);
  if (current === undefined || belongsToLocalServe(current, baseUrl?.value)) return defaultProfile;
  return current.name;
}

/** Whether this profile belongs to `pets serve`, and a login at `baseUrl` does not. */
function belongsToLocalServe({ profile }: NamedProfile, baseUrl: URL | undefined): boolean {
  if (!profile.madeByServe || baseUrl === undefined) return false;
  return URL.parse(profile.baseUrl)?.origin !== baseUrl.origin;
}

function namedProfile(data: ProfileData, name: string): NamedProfile | undefined {
  const profile = findProfile(data, name);
  return profile && { name, profile };
}

/** Asks the service for one animal; throws its Failure when it refuses the key or can't be reached. */
async function verifyKey(context: Context, connection: ServiceConnection): Promise<void> {
  const api = await context.api(connection);
  await api.list({ limit: 1 });
}

function withLogin(data: ProfileData, name: string, connection: ServiceConnection): ProfileData {
  // From now on it is the user's, and `pets serve` leaves it alone.
  const { madeByServe: _mark, ...kept } = findProfile(data, name) ?? {};
  const profile = { ...kept, ...profileEntry(connection) };
  return withCurrent(withProfile(data, name, profile), name);
}

function profileEntry({ baseUrl, apiKey }: ServiceConnection) {
  return { baseUrl: baseUrl.href, apiKey };
}

async function noteLogin(
  context: Context,
  name: string,
  { baseUrl, apiKey }: ServiceConnection,
  verified: boolean,
): Promise<void> {
  const did = verified ? "Logged in" : "Kept the key without trying it";
  const where = `profile ${name}, base URL ${baseUrl.href}, key ${maskKey(apiKey)}`;
  await context.note(`${did}: ${where}. It is the current profile.`);
  if (context.settings.apiKey !== undefined)
    await context.note("PETS_API_KEY is set, and is used in place of the key of a profile.");
}
