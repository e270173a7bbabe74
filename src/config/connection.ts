import { maskKey } from "../core/api-key.ts";
import { Failure, usageFailure } from "../core/errors.ts";
import type { LimiterServer } from "./limiter-server.ts";
import {
  currentProfile,
  hasKey,
  type NamedProfile,
  type Profile,
  type ProfileData,
  requireProfile,
} from "./profiles/profiles.ts";
import type { Settings } from "./settings.ts";

/** Where requests go, and with which API key. */
export interface ServiceConnection {
  readonly baseUrl: URL;
  readonly apiKey: string;
  /** The profile that the key comes from. */
  readonly profile?: string;
  readonly fromCommand?: boolean;
  /** The server of its limiter, which overrides that of the settings; null for none. */
  readonly limiterServer?: LimiterServer | null;
}

/** Where requests go, and where their key comes from. */
export interface ConnectionTarget {
  readonly baseUrl: URL;
  readonly key: { readonly value: string } | { readonly command: string };
  /** The profile of the key. */
  readonly profile?: string;
}

/**
 * Returns where requests go, and with which key (`help profiles`). The profiles are not read if both come from
 * outside. Throws an auth Failure (exit 4) without a key, or if the profile's key is for another origin;
 * a usage Failure for an unknown profile or without a base URL.
 */
export async function resolveTarget(
  settings: Settings,
  read: () => Promise<ProfileData>,
): Promise<ConnectionTarget> {
  const { apiKey } = settings;
  if (apiKey !== undefined && settings.baseUrl !== undefined)
    return { key: { value: apiKey }, baseUrl: settings.baseUrl };
  const data = await read();
  const chosen = chosenProfile(settings, data);
  const keyOwner = apiKey === undefined ? chosen : undefined;
  const key = apiKey === undefined ? keyOwner && keyOf(keyOwner.profile) : { value: apiKey };
  if (key === undefined) throw noKeyFailure(settings, data, chosen);
  if (keyOwner !== undefined) refuseOtherOrigin(keyOwner, settings);
  const { baseUrl } = chosen === undefined ? settings : settings.withProfile(chosen);
  if (baseUrl !== undefined) return { key, baseUrl, ...(keyOwner && { profile: keyOwner.name }) };
  throw usageFailure(
    "PETS_API_KEY is set, but no base URL",
    "Use `--base-url`, set PETS_BASE_URL, or save one in a profile with `pets login`.",
  );
}

/** Returns the settings with those of the profile, which is not read if key and base URL come from outside. */
export async function resolveWithProfile(
  settings: Settings,
  read: () => Promise<ProfileData>,
): Promise<Settings> {
  if (settings.apiKey !== undefined && settings.baseUrl !== undefined) return settings;
  const chosen = chosenProfile(settings, await read());
  return chosen === undefined ? settings : settings.withProfile(chosen);
}

function keyOf({ apiKey, keyCommand }: Profile): ConnectionTarget["key"] | undefined {
  if (apiKey !== undefined) return { value: apiKey };
  return keyCommand === undefined ? undefined : { command: keyCommand };
}

/** Returns the profile that the settings name, else the current one. Throws a usage Failure if it is unknown. */
export function chosenProfile(
  { profile, given }: Settings,
  data: ProfileData,
): NamedProfile | undefined {
  if (profile === undefined) return currentProfile(data);
  const from = given.profile?.from;
  return requireProfile(data, profile, from === "--profile" ? undefined : from);
}

/** Like chosenProfile, but also throws a usage Failure if none is named and none is current. */
export function requireChosenProfile(settings: Settings, data: ProfileData): NamedProfile {
  const chosen = chosenProfile(settings, data);
  if (chosen !== undefined) return chosen;
  if (Object.keys(data.profiles).length === 0)
    throw usageFailure("there are no profiles", "Create one with `pets login`.");
  throw usageFailure(
    "no profile is current",
    "Choose one with `--profile`: `pets profile list` lists them.",
  );
}

function noKey(message: string, ...hints: readonly string[]): Failure {
  return new Failure("auth", message, { code: "no_api_key", hints });
}

function noKeyFailure(
  settings: Settings,
  { profiles }: ProfileData,
  chosen: NamedProfile | undefined,
): Failure {
  if (chosen !== undefined) {
    const asked = settings.profile === undefined ? "" : ` --profile ${chosen.name}`;
    const hint = `Log in with \`pets login${asked}\`, or set PETS_API_KEY.`;
    return noKey(`profile ${chosen.name} has no API key`, hint);
  }
  const usable = Object.entries(profiles).flatMap(([name, each]) => (hasKey(each) ? name : []));
  const [first] = usable.sort();
  if (first === undefined)
    return noKey(
      "no API key",
      "Log in with `pets login`, or set PETS_API_KEY.",
      "To try pets without a key, run a local store: `pets serve`.",
    );
  const others = usable.length > 1 ? [`Profiles with a key: ${usable.join(", ")}.`] : [];
  const hint = `Choose a profile: \`pets profile use ${first}\`.`;
  return noKey("no API key: no profile is current", hint, ...others);
}

/** Throws unless the base URL has the origin of the profile: a profile's key is sent nowhere else. */
function refuseOtherOrigin({ name, profile }: NamedProfile, { baseUrl, given }: Settings): void {
  const own = URL.parse(profile.baseUrl)?.origin;
  if (baseUrl === undefined || own === baseUrl.origin) return;
  const belongs = `the key of profile ${name} is for ${own ?? "another address"}`;
  const what = `${belongs}, and is not sent to ${baseUrl.origin} (${given.baseUrl?.from})`;
  const hint = `Set PETS_API_KEY to a key for ${baseUrl.origin}, or choose another profile with \`--profile\`.`;
  throw new Failure("auth", what, { code: "key_not_for_origin", hints: [hint] });
}

/** Returns what messages call the key of a connection, masked, and what to do if the service rejects it. */
export function describeKey({
  apiKey,
  profile,
  fromCommand,
}: Pick<ServiceConnection, "apiKey" | "profile" | "fromCommand">) {
  const key = maskKey(apiKey);
  if (profile === undefined)
    return {
      keyName: `${key} from PETS_API_KEY`,
      keyHint: "Check PETS_API_KEY, or unset it to use a profile.",
    };
  if (fromCommand)
    return {
      keyName: `${key} from the key command of profile ${profile}`,
      keyHint: `Check which key the key command prints: see \`pets profile show ${profile}\`.`,
    };
  return {
    keyName: `${key} of profile ${profile}`,
    keyHint: `Log in again: \`pets login --profile ${profile}\`.`,
  };
}
