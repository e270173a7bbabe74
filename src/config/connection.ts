import { Failure, usageFailure } from "../core/errors.ts";
import { parseBaseUrl } from "./base-url.ts";
import { currentProfile, type NamedProfile, requireProfile } from "./profiles/profiles.ts";
import type { ServiceConnection, ProfileData, ProfileStore, Settings, Sourced } from "./types.ts";

/**
 * Returns where requests go, and with which key (contract.md, Where a setting comes from).
 * `openProfiles` is not called if both come from outside the profile. Throws an auth Failure (exit 4)
 * without a key, or if the profile's key is for another origin; a usage Failure for an unknown profile
 * or without a base URL; an io Failure if the profile file can't be read.
 */
export async function resolveConnection(
  settings: Settings,
  openProfiles: () => Promise<ProfileStore>,
): Promise<ServiceConnection> {
  const { apiKey, baseUrl } = settings;
  if (apiKey !== undefined && baseUrl !== undefined) return { apiKey, baseUrl: baseUrl.value };
  const store = await openProfiles();
  return connectionFrom(settings, await store.read());
}

/** Returns where requests would go, with any key; undefined without a base URL. Throws as resolveConnection. */
export async function resolveBaseUrl(
  settings: Settings,
  openProfiles: () => Promise<ProfileStore>,
): Promise<URL | undefined> {
  if (settings.baseUrl !== undefined) return settings.baseUrl.value;
  const store = await openProfiles();
  const chosen = chosenProfile(settings, await store.read());
  return chosen && profileBaseUrl(chosen, settings.allowHttp);
}

/** Applies the rule of resolveConnection to the profiles. */
function connectionFrom(settings: Settings, data: ProfileData): ServiceConnection {
  const chosen = chosenProfile(settings, data);
  if (settings.apiKey !== undefined)
    return { apiKey: settings.apiKey, baseUrl: baseUrlFrom(settings, chosen) };
  if (chosen?.profile.apiKey === undefined) throw noKeyFailure(chosen);
  if (settings.baseUrl !== undefined) refuseOtherOrigin(chosen, settings.baseUrl);
  return { apiKey: chosen.profile.apiKey, baseUrl: baseUrlFrom(settings, chosen) };
}

/** Returns the profile that the settings name, else the current one. Throws a usage Failure if it is unknown. */
function chosenProfile(settings: Settings, data: ProfileData): NamedProfile | undefined {
  return settings.profile === undefined
    ? currentProfile(data)
    : requireProfile(data, settings.profile);
}

/** As chosenProfile, but also throws a usage Failure if none is named and none is current. */
export function requireChosenProfile(settings: Settings, data: ProfileData): NamedProfile {
  const chosen = chosenProfile(settings, data);
  if (chosen !== undefined) return chosen;
  throw usageFailure("no profile is current: name one with --profile", "see `pets profile list`");
}

/** Parses the base URL of a profile, by the same rule as one from a flag. Throws a usage Failure. */
export function profileBaseUrl({ name, profile }: NamedProfile, allowHttp: boolean): URL {
  return parseBaseUrl(profile.baseUrl, `the base URL of profile ${name}`, allowHttp);
}

function baseUrlFrom(settings: Settings, chosen: NamedProfile | undefined): URL {
  if (settings.baseUrl !== undefined) return settings.baseUrl.value;
  if (chosen !== undefined) return profileBaseUrl(chosen, settings.allowHttp);
  throw usageFailure(
    "there is no base URL to send the key of PETS_API_KEY to: give --base-url or PETS_BASE_URL",
    "or keep one in a profile: `pets login --base-url`",
  );
}

function noKeyFailure(chosen: NamedProfile | undefined): Failure {
  const where =
    chosen === undefined ? "there is no API key" : `profile ${chosen.name} has no API key`;
  return new Failure("auth", where, {
    code: "no_api_key",
    hints: [
      "log in with `pets login`, or set PETS_API_KEY",
      "to try pets without a key, run the store yourself: `pets serve`",
    ],
  });
}

/** Throws unless the URL has the origin of the profile: a profile's key is sent nowhere else. */
function refuseOtherOrigin({ name, profile }: NamedProfile, { value, from }: Sourced<URL>): void {
  const own = URL.parse(profile.baseUrl)?.origin;
  if (own === value.origin) return;
  const belongs = `the key of profile ${name} is for ${own ?? "another address"}`;
  throw new Failure("auth", `${belongs} and may not go to ${value.origin}, which ${from} names`, {
    code: "key_not_for_origin",
    hints: [
      `set PETS_API_KEY to a key for ${value.origin}, or choose another profile with --profile`,
    ],
  });
}
