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
import { type Given, type Settings, settingsWithProfile, usesProfile } from "./settings.ts";

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

/** A key, or the command that prints it. */
export type KeySource = { readonly value: string } | { readonly command: string };

/** Where requests go, and where their key comes from. */
export interface ServiceTarget {
  readonly baseUrl: URL;
  readonly key: KeySource;
  /** The profile of the key. */
  readonly profile?: string;
}

/** What a command line would use of each part, as far as it is known, and where it comes from. */
export interface ServiceSources {
  readonly profile?: Given | undefined;
  /** As it was given. */
  readonly baseUrl?: Given | undefined;
  readonly key?: { readonly value: KeySource; readonly from: string } | undefined;
  /** The profile of the key. */
  readonly keyProfile?: string;
  /** The settings with those of the profile; undefined if they can't be used. */
  readonly settings?: Settings;
  /** Why requests can't be sent. */
  readonly problem?: Failure | undefined;
}

/**
 * Returns what requests would use, and where it comes from (`help profiles`). The profiles are not read if key and base
 * URL both come from outside. The problem is an auth Failure (exit 4) without a key, or if the profile's key is for
 * another origin; a usage Failure for an unknown profile or without a base URL; that of `read`.
 */
export async function findSources(
  settings: Settings,
  read: () => Promise<ProfileData>,
): Promise<ServiceSources> {
  const { apiKey, given } = settings;
  const { profile, baseUrl } = given;
  const key = apiKey === undefined ? undefined : { value: { value: apiKey }, from: "PETS_API_KEY" };
  if (!usesProfile(settings.sources)) return { baseUrl, key, settings };
  try {
    const data = await read();
    const chosen = chosenProfile(settings, data);
    if (chosen !== undefined) return withChosen({ profile, baseUrl, key }, settings, chosen);
    return { baseUrl, key, settings, problem: key ? noBaseUrl() : noCurrentFailure(data) };
  } catch (error) {
    return { profile, baseUrl, key, problem: failureOnly(error) };
  }
}

/** Returns the sources with what the profile `chosen` adds to those from outside. */
function withChosen(
  outside: ServiceSources,
  settings: Settings,
  chosen: NamedProfile,
): ServiceSources {
  const { name, profile } = chosen;
  const place = `profile ${name}`;
  const own = outside.key === undefined ? keySourceOf(profile) : undefined;
  const ownKey = own && { value: own, from: "command" in own ? `key command of ${place}` : place };
  const sources = {
    profile: outside.profile ?? { value: name, from: "current" },
    baseUrl: outside.baseUrl ?? { value: profile.baseUrl, from: place },
    key: outside.key ?? ownKey,
    ...(own && { keyProfile: name }),
  };
  const problem = sources.key ? own && otherOrigin(chosen, settings) : keyless(settings, name);
  try {
    return { ...sources, settings: settingsWithProfile(settings, chosen), problem };
  } catch (error) {
    return { ...sources, problem: problem ?? failureOnly(error) };
  }
}

function failureOnly(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

/** Returns where requests go. Throws the problem of `sources`. */
export function targetOf({ settings, key, keyProfile, problem }: ServiceSources): ServiceTarget {
  if (problem !== undefined) throw problem;
  const baseUrl = settings?.baseUrl;
  if (key === undefined || baseUrl === undefined) throw noBaseUrl();
  return { baseUrl, key: key.value, ...(keyProfile !== undefined && { profile: keyProfile }) };
}

/** Returns the key of a profile, or the command that prints it, if there is one. */
export function keySourceOf({ apiKey, keyCommand }: Profile): KeySource | undefined {
  if (apiKey !== undefined) return { value: apiKey };
  return keyCommand === undefined ? undefined : { command: keyCommand };
}

/** Returns the profile that the settings name, else the current one. Throws a usage Failure if it is unknown. */
function chosenProfile({ profile, given }: Settings, data: ProfileData): NamedProfile | undefined {
  if (profile === undefined) return currentProfile(data);
  return requireProfile(data, profile, given.profile?.from);
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

function noBaseUrl(): Failure {
  return usageFailure(
    "PETS_API_KEY is set, but no base URL",
    "Use `--base-url`, set PETS_BASE_URL, or save one in a profile with `pets login`.",
  );
}

function keyless({ given }: Settings, name: string): Failure {
  const isTyped = given.profile?.from === "--profile";
  const login = `Log in with \`pets login${given.profile ? ` --profile ${name}` : ""}\``;
  // A profile that is typed takes precedence over the variable.
  return noKey(
    `profile ${name} has no API key`,
    isTyped ? `${login}.` : `${login}, or set PETS_API_KEY.`,
  );
}

function noCurrentFailure({ profiles }: ProfileData): Failure {
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

/** Returns the failure unless the base URL has the origin of the profile: a profile's key is sent nowhere else. */
function otherOrigin(
  { name, profile }: NamedProfile,
  { baseUrl, given }: Settings,
): Failure | undefined {
  const own = URL.parse(profile.baseUrl)?.origin;
  if (baseUrl === undefined || own === baseUrl.origin) return undefined;
  const belongs = `the key of profile ${name} is for ${own ?? "another address"}`;
  const what = `${belongs}, and is not sent to ${baseUrl.origin} (${given.baseUrl?.from})`;
  const isTyped = given.profile?.from === "--profile";
  const hint = isTyped
    ? `Choose a profile of ${baseUrl.origin}.`
    : `Set PETS_API_KEY to a key for ${baseUrl.origin}, or choose another profile with \`--profile\`.`;
  return new Failure("auth", what, { code: "key_not_for_origin", hints: [hint] });
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
