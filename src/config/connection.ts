import { Failure, usageFailure } from "../core/errors.ts";
import type { LimiterServer } from "./limiter-server.ts";
import { chooseProfile, originOf } from "./profiles/choose.ts";
import { hasKey, type NamedProfile, type ProfileData } from "./profiles/profiles.ts";
import { type Given, type Settings, settingsWithProfile, usesProfile } from "./settings.ts";

/** Where requests go, and with which API key. */
export interface ServiceConnection {
  readonly baseUrl: URL;
  readonly apiKey: string;
  /** What messages call the key, masked, and what to do if the service rejects it. */
  readonly keyName?: string;
  readonly keyHint?: string;
  /** The command that printed the key, which may print another each time. */
  readonly keyCommand?: KeySource & { readonly command: string };
  readonly limiterServer?: LimiterServer | undefined;
}

/** A key, or the command that prints it; where it comes from, and what to do if the service rejects it. */
export type KeySource = ({ readonly value: string } | { readonly command: string }) & {
  readonly from: string;
  readonly hint: string;
};

/** Where requests go, and where their key comes from. */
export interface ServiceTarget {
  readonly baseUrl: URL;
  readonly key: KeySource;
}

/** What a command line would use of each part, as far as it is known, and where it comes from. */
export interface ServiceSources {
  profile?: Given | undefined;
  /** As it was given. */
  baseUrl?: Given | undefined;
  key?: KeySource | undefined;
  /** The settings with those of the profile; undefined if they can't be used. */
  settings?: Settings;
  /** Why requests can't be sent. */
  problem?: Failure | undefined;
}

/**
 * Returns what requests would use, and where it comes from (`help profiles`). The profiles are not read if key and base
 * URL both come from outside. The problem is an auth Failure (exit 4) without a key, or if the profile's key is for
 * another origin; a usage Failure for an unknown profile or a wrong base URL; that of `read`.
 */
export async function findSources(
  settings: Settings,
  read: () => Promise<ProfileData>,
): Promise<ServiceSources> {
  const { apiKey: value, given } = settings;
  const hint = "Check PETS_API_KEY, or unset it to use a profile.";
  const key = value === undefined ? undefined : { value, from: "PETS_API_KEY", hint };
  if (!usesProfile(settings.sources)) return { baseUrl: given.baseUrl, key, settings };
  const found: ServiceSources = { profile: given.profile, baseUrl: given.baseUrl, key };
  try {
    const data = await read();
    const chosen = chooseProfile(settings, data);
    if (chosen === undefined)
      return { ...found, settings, problem: key ? undefined : noCurrentFailure(data) };
    const { name, profile } = chosen;
    found.profile ??= { value: name, from: "current" };
    found.baseUrl ??= { value: profile.baseUrl, from: `profile ${name}` };
    found.key ??= keySourceOf(chosen);
    if (found.key === undefined) found.problem = keyless(settings, name);
    else found.problem = otherOrigin(chosen, settings);
    found.settings = settingsWithProfile(settings, chosen);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    found.problem ??= error;
  }
  return found;
}

/** Returns where requests go. Throws the problem of the sources, or a usage Failure without a base URL. */
export function targetOf({ settings, key, problem }: ServiceSources): ServiceTarget {
  const baseUrl = settings?.baseUrl;
  if (problem === undefined && key !== undefined && baseUrl !== undefined) return { baseUrl, key };
  throw (
    problem ??
    usageFailure(
      "PETS_API_KEY is set, but no base URL",
      "Use `--base-url`, set PETS_BASE_URL, or save one in a profile with `pets login`.",
    )
  );
}

/** Returns the key of a profile, or the command that prints it, if there is one. */
export function keySourceOf({ name, profile }: NamedProfile): KeySource | undefined {
  const { apiKey: value, keyCommand: command } = profile;
  const from = `profile ${name}`;
  if (value !== undefined)
    return { value, from, hint: `Log in again: \`pets login --profile ${name}\`.` };
  const hint = `Check which key the key command prints: see \`pets profile show ${name}\`.`;
  return command === undefined ? undefined : { command, from: `the key command of ${from}`, hint };
}

function noKey(message: string, ...hints: readonly string[]): Failure {
  return new Failure("auth", message, { code: "no_api_key", hints });
}

function keyless({ given: { profile } }: Settings, name: string): Failure {
  const login = `Log in with \`pets login${profile ? ` --profile ${name}` : ""}\``;
  // A profile that is typed takes precedence over the variable.
  const others = profile?.from === "--profile" ? "" : ", or set PETS_API_KEY";
  return noKey(`profile ${name} has no API key`, `${login}${others}.`);
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
  const own = originOf(profile);
  if (baseUrl === undefined || own === baseUrl.origin) return undefined;
  const belongs = `the key of profile ${name} is for ${own ?? "another address"}`;
  const what = `${belongs}, and is not sent to ${baseUrl.origin} (${given.baseUrl?.from})`;
  const isTyped = given.profile?.from === "--profile";
  const other = isTyped ? "Choose" : `Set PETS_API_KEY to a key for ${baseUrl.origin}, or choose`;
  const hint = `${other} another profile with \`--profile\`.`;
  return new Failure("auth", what, { code: "key_not_for_origin", hints: [hint] });
}
