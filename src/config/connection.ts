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
import { type Settings, withProfile } from "./settings.ts";

/** Where requests go, and with which API key. */
export interface ServiceConnection {
  readonly baseUrl: URL;
  readonly apiKey: string;
  /** The profile that the key comes from; undefined if it comes from elsewhere. */
  readonly profile?: string;
  /** Whether the key was printed by the key command of that profile. */
  readonly fromCommand?: boolean;
  /** The server of its limiter, which overrides that of the settings; null for none. */
  readonly limiterServer?: LimiterServer | null;
}

/** Where requests go, and where their key comes from. */
export interface ConnectionTarget {
  readonly baseUrl: URL;
  readonly key: { readonly value: string } | { readonly command: string };
  /** The profile of the key; undefined for PETS_API_KEY. */
  readonly chosen: NamedProfile | undefined;
}

/** Returns the profiles. Throws an io Failure (exit 1) that names their file if it can't be read. */
type ReadProfiles = () => Promise<ProfileData>;

/**
 * Returns where requests go, and with which key (`help profiles`). The profiles are not read if both come from
 * outside. Throws an auth Failure (exit 4) without a key, or if the profile's key is for another origin;
 * a usage Failure for an unknown profile or without a base URL.
 */
export async function resolveTarget(
  settings: Settings,
  read: ReadProfiles,
): Promise<ConnectionTarget> {
  const { apiKey, baseUrl } = settings;
  return apiKey !== undefined && baseUrl !== undefined
    ? { key: { value: apiKey }, baseUrl, chosen: undefined }
    : targetFrom(settings, await read());
}

/** Returns the settings with those of the profile, which is not read if key and base URL come from outside. */
export async function resolveWithProfile(
  settings: Settings,
  read: ReadProfiles,
): Promise<Settings> {
  if (settings.apiKey !== undefined && settings.baseUrl !== undefined) return settings;
  return settingsWith(settings, chosenProfile(settings, await read()));
}

function settingsWith(settings: Settings, chosen: NamedProfile | undefined): Settings {
  return chosen === undefined ? settings : withProfile(settings, chosen.name, chosen.profile);
}

/** Applies the rule of resolveTarget to the profiles. */
export function targetFrom(settings: Settings, data: ProfileData): ConnectionTarget {
  const { apiKey } = settings;
  const chosen = chosenProfile(settings, data);
  const keyOwner = apiKey === undefined ? chosen : undefined;
  const key = apiKey === undefined ? keyOwner && keyOf(keyOwner.profile) : { value: apiKey };
  if (key === undefined) throw noKeyFailure(settings, data, chosen);
  if (keyOwner !== undefined) refuseOtherOrigin(keyOwner, settings);
  const { baseUrl } = settingsWith(settings, chosen);
  if (baseUrl !== undefined) return { key, baseUrl, chosen: keyOwner };
  throw usageFailure(
    "PETS_API_KEY is set, but no base URL",
    "Use `--base-url`, set PETS_BASE_URL, or save one in a profile with `pets login`.",
  );
}

function keyOf({ apiKey, keyCommand }: Profile): ConnectionTarget["key"] | undefined {
  if (apiKey !== undefined) return { value: apiKey };
  return keyCommand === undefined ? undefined : { command: keyCommand };
}

/** Returns the profile that the settings name, else the current one. Throws a usage Failure if it is unknown. */
export function chosenProfile(
  { profile, sources }: Settings,
  data: ProfileData,
): NamedProfile | undefined {
  return profile === undefined
    ? currentProfile(data)
    : requireProfile(data, profile, sources.profile === "--profile" ? undefined : sources.profile);
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

function noKeyFailure(
  settings: Settings,
  { profiles }: ProfileData,
  chosen: NamedProfile | undefined,
): Failure {
  const code = "no_api_key";
  if (chosen !== undefined) {
    const asked = settings.profile === undefined ? "" : ` --profile ${chosen.name}`;
    const hints = [`Log in with \`pets login${asked}\`, or set PETS_API_KEY.`];
    return new Failure("auth", `profile ${chosen.name} has no API key`, { code, hints });
  }
  const usable = Object.entries(profiles).flatMap(([name, each]) => (hasKey(each) ? name : []));
  const [first] = usable.sort();
  if (first === undefined) {
    const hints = [
      "Log in with `pets login`, or set PETS_API_KEY.",
      "To try pets without a key, run a local store: `pets serve`.",
    ];
    return new Failure("auth", "no API key", { code, hints });
  }
  const others = usable.length > 1 ? [`Profiles with a key: ${usable.join(", ")}.`] : [];
  const hints = [`Choose a profile: \`pets profile use ${first}\`.`, ...others];
  return new Failure("auth", "no API key: no profile is current", { code, hints });
}

/** Throws unless the base URL has the origin of the profile: a profile's key is sent nowhere else. */
function refuseOtherOrigin({ name, profile }: NamedProfile, { baseUrl, sources }: Settings): void {
  const own = URL.parse(profile.baseUrl)?.origin;
  if (baseUrl === undefined || own === baseUrl.origin) return;
  const belongs = `the key of profile ${name} is for ${own ?? "another address"}`;
  throw new Failure(
    "auth",
    `${belongs}, and is not sent to ${baseUrl.origin} (${sources.baseUrl})`,
    {
      code: "key_not_for_origin",
      hints: [
        `Set PETS_API_KEY to a key for ${baseUrl.origin}, or choose another profile with \`--profile\`.`,
      ],
    },
  );
}

/** Returns the masked key of a connection and where it comes from, for messages. */
export function keyName({
  apiKey,
  profile,
  fromCommand,
}: Pick<ServiceConnection, "apiKey" | "profile" | "fromCommand">): string {
  const key = maskKey(apiKey);
  if (profile === undefined) return `${key} from PETS_API_KEY`;
  return fromCommand
    ? `${key} from the key command of profile ${profile}`
    : `${key} of profile ${profile}`;
}

/** Returns what to do about a key that the service rejects. */
export function keyHint({
  profile,
  fromCommand,
}: Pick<ServiceConnection, "profile" | "fromCommand">): string {
  if (profile === undefined) return "Check PETS_API_KEY, or unset it to use a profile.";
  return fromCommand
    ? `Check which key the key command prints: see \`pets profile show ${profile}\`.`
    : `Log in again: \`pets login --profile ${profile}\`.`;
}
