import { Failure, usageFailure } from "../core/errors.ts";
import { parseBaseUrl } from "./base-url.ts";
import { currentProfile, hasKey, type NamedProfile, requireProfile } from "./profiles/profiles.ts";
import type { Profile, ProfileData, ProfileReader, Settings, Sourced } from "./types.ts";

/** Where requests go, and where their key comes from. */
export interface ConnectionTarget {
  readonly baseUrl: URL;
  readonly key: { readonly value: string } | { readonly command: string };
  /** The profile of the key; undefined for PETS_API_KEY. */
  readonly chosen: NamedProfile | undefined;
}

/**
 * Returns where requests go, and with which key (`help profiles`). `openProfiles` is not called if both come from
 * outside the profile. Throws an auth Failure (exit 4) without a key, or if the profile's key is for another origin;
 * a usage Failure for an unknown profile or without a base URL; an io Failure if the profile file can't be read.
 */
export async function resolveTarget(
  settings: Settings,
  openProfiles: () => Promise<ProfileReader>,
): Promise<ConnectionTarget> {
  const { apiKey, baseUrl } = settings;
  if (apiKey !== undefined && baseUrl !== undefined)
    return { key: { value: apiKey }, baseUrl: baseUrl.value, chosen: undefined };
  const store = await openProfiles();
  return targetFrom(settings, await store.read());
}

/** Returns where requests would go, with any key; undefined without a base URL. Throws like resolveTarget. */
export async function resolveBaseUrl(
  settings: Settings,
  openProfiles: () => Promise<ProfileReader>,
): Promise<URL | undefined> {
  if (settings.baseUrl !== undefined) return settings.baseUrl.value;
  const store = await openProfiles();
  const chosen = chosenProfile(settings, await store.read());
  return chosen && profileBaseUrl(chosen, settings.allowHttp);
}

/** Applies the rule of resolveTarget to the profiles. */
export function targetFrom(settings: Settings, data: ProfileData): ConnectionTarget {
  const chosen = chosenProfile(settings, data);
  if (settings.apiKey !== undefined)
    return {
      key: { value: settings.apiKey },
      baseUrl: baseUrlFrom(settings, chosen),
      chosen: undefined,
    };
  const key = chosen && keyOf(chosen.profile);
  if (chosen === undefined || key === undefined) throw noKeyFailure(settings, data, chosen);
  if (settings.baseUrl !== undefined) refuseOtherOrigin(chosen, settings.baseUrl);
  return { key, baseUrl: baseUrlFrom(settings, chosen), chosen };
}

function keyOf({ apiKey, keyCommand }: Profile): ConnectionTarget["key"] | undefined {
  if (apiKey !== undefined) return { value: apiKey };
  return keyCommand === undefined ? undefined : { command: keyCommand };
}

/** Returns the profile that the settings name, else the current one. Throws a usage Failure if it is unknown. */
export function chosenProfile(settings: Settings, data: ProfileData): NamedProfile | undefined {
  return settings.profile === undefined
    ? currentProfile(data)
    : requireProfile(data, settings.profile);
}

/** Like chosenProfile, but also throws a usage Failure if none is named and none is current. */
export function requireChosenProfile(settings: Settings, data: ProfileData): NamedProfile {
  const chosen = chosenProfile(settings, data);
  if (chosen !== undefined) return chosen;
  if (Object.keys(data.profiles).length === 0)
    throw usageFailure("there are no profiles", "create one with `pets login`");
  throw usageFailure("no profile is current: choose one with --profile", "see `pets profile list`");
}

/** Parses the base URL of a profile, by the same rule as one from a flag. Throws a usage Failure. */
export function profileBaseUrl({ name, profile }: NamedProfile, allowHttp: boolean): URL {
  return parseBaseUrl(profile.baseUrl, `the base URL of profile ${name}`, allowHttp);
}

function baseUrlFrom(settings: Settings, chosen: NamedProfile | undefined): URL {
  if (settings.baseUrl !== undefined) return settings.baseUrl.value;
  if (chosen !== undefined) return profileBaseUrl(chosen, settings.allowHttp);
  throw usageFailure(
    "PETS_API_KEY is set, but no base URL: use --base-url or PETS_BASE_URL",
    "or save one in a profile: `pets login`",
  );
}

function noKeyFailure(
  settings: Settings,
  data: ProfileData,
  chosen: NamedProfile | undefined,
): Failure {
  if (chosen === undefined) return noCurrentFailure(data);
  const asked = settings.profile === undefined ? "" : ` --profile ${chosen.name}`;
  return new Failure("auth", `profile ${chosen.name} has no API key`, {
    code: "no_api_key",
    hints: [`log in with \`pets login${asked}\`, or set PETS_API_KEY`],
  });
}

function noCurrentFailure(data: ProfileData): Failure {
  const usable = Object.keys(data.profiles)
    .filter((name) => hasKey(data.profiles[name] ?? { baseUrl: "" }))
    .sort();
  const [first] = usable;
  if (first !== undefined)
    return new Failure("auth", "no API key: no profile is current", {
      code: "no_api_key",
      hints: [
        `choose a profile: \`pets profile use ${first}\``,
        ...(usable.length > 1 ? [`profiles with a key: ${usable.join(", ")}`] : []),
      ],
    });
  return new Failure("auth", "no API key", {
    code: "no_api_key",
    hints: [
      "log in with `pets login`, or set PETS_API_KEY",
      "to try pets without a key, run a local store: `pets serve`",
    ],
  });
}

/** Throws unless the URL has the origin of the profile: a profile's key is sent nowhere else. */
function refuseOtherOrigin({ name, profile }: NamedProfile, { value, from }: Sourced<URL>): void {
  const own = URL.parse(profile.baseUrl)?.origin;
  if (own === value.origin) return;
  const belongs = `the key of profile ${name} is for ${own ?? "another address"}`;
  throw new Failure("auth", `${belongs}, and is not sent to ${value.origin} (${from})`, {
    code: "key_not_for_origin",
    hints: [
      `set PETS_API_KEY to a key for ${value.origin}, or choose another profile with --profile`,
    ],
  });
}
