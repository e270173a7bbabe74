import { isApiKey } from "../../core/api-key.ts";
import { usageFailure } from "../../core/errors.ts";
import { isRecord } from "../../core/json/parse.ts";
import { closeMatch } from "../../core/strings.ts";
import { isSwitch, type SavedSettings, settingList } from "../setting-table.ts";
import { isProfileName } from "./name.ts";

/** A profile as it is stored: settings, and the key or where it comes from. */
export interface Profile extends SavedSettings {
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** The command that prints the key, if the key itself is not stored. */
  readonly keyCommand?: string;
  /** The name (a hash) of the limiter's state for the key that `keyCommand` printed last (`help rate-limits`). */
  readonly limiterState?: string;
  /** Whether `pets serve` saved it, and so may replace it; `memory` if it goes when its store stops. */
  readonly madeByServe?: boolean | "memory";
}

/** All profiles as they are stored; `current` may name one that does not exist. */
export interface ProfileData {
  readonly current?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** A profile and its name. */
export interface NamedProfile {
  readonly name: string;
  readonly profile: Profile;
}

/** No profiles at all. */
export const noProfiles: ProfileData = { profiles: {} };

/** Returns the profile called `name`, or undefined. */
export function findProfile({ profiles }: ProfileData, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/**
 * Returns the profile called `name`. If there is none, throws a usage Failure that names `from`: the flag,
 * variable or argument that asked for it.
 */
export function requireProfile(data: ProfileData, name: string, from: string): NamedProfile {
  const profile = findProfile(data, name);
  if (profile !== undefined) return { name, profile };
  const names = Object.keys(data.profiles);
  const nearest = closeMatch(name, names);
  const meant = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
  throw usageFailure(
    `${from}: no profile named ${JSON.stringify(name)}${meant}`,
    ...(names.length === 0 ? [] : ["see `pets profile list`"]),
    ...(nearest === undefined ? [`create it: \`pets login --profile ${name}\``] : []),
  );
}

/** Returns the current profile; undefined if none is current. */
export function currentProfile(data: ProfileData): NamedProfile | undefined {
  if (data.current === undefined) return undefined;
  const profile = findProfile(data, data.current);
  return profile && { name: data.current, profile };
}

/** Returns `data` with `profile` under `name`, replacing one of that name. */
export function withProfile(data: ProfileData, name: string, profile: Profile): ProfileData {
  return { ...data, profiles: { ...data.profiles, [name]: profile } };
}

/** Returns `data` with `name` as the current profile. */
export function withCurrent(data: ProfileData, name: string): ProfileData {
  return data.current === name ? data : { ...data, current: name };
}

/** Returns `data` without the profile called `name`; if it was the current one, none is current. */
export function withoutProfile(data: ProfileData, name: string): ProfileData {
  const kept = Object.entries(data.profiles).filter(([other]) => other !== name);
  const { current, ...rest } = data;
  const profiles = Object.fromEntries(kept);
  return { ...rest, ...(current !== undefined && current !== name && { current }), profiles };
}

/** Returns whether a profile has a key, or a command that prints one. */
export function hasKey({ apiKey, keyCommand }: Profile): boolean {
  return apiKey !== undefined || keyCommand !== undefined;
}

/** Returns `data` without the key, or the command that prints it, of the profile called `name`. */
export function withoutApiKey(data: ProfileData, { name, profile }: NamedProfile): ProfileData {
  const { apiKey: _key, keyCommand: _command, limiterState: _state, ...rest } = profile;
  return hasKey(profile) ? withProfile(data, name, rest) : data;
}

/**
 * Returns what is wrong with `value` as ProfileData, without showing anything of it except names;
 * undefined if it is valid. Unknown fields are allowed, and kept.
 */
export function profileDataProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return "it is not a JSON object";
  if (value.current !== undefined && typeof value.current !== "string")
    return "`current` is not text";
  if (value.profiles === undefined) return undefined;
  if (!isRecord(value.profiles)) return "`profiles` is not an object";
  for (const [name, profile] of Object.entries(value.profiles)) {
    const problem = profileProblem(name, profile);
    if (problem !== undefined) return `profile ${JSON.stringify(name)} ${problem}`;
  }
  return undefined;
}

/** Whether a value may be in a field of a profile that is no setting. */
const ownFields: Record<
  Exclude<keyof Profile, keyof SavedSettings>,
  (value: unknown) => boolean
> = {
  apiKey: (value) => typeof value === "string" && isApiKey(value),
  keyCommand: (value) => typeof value === "string" && value.trim() !== "",
  // It is used as a file name.
  limiterState: (value) => typeof value === "string" && /^[0-9a-f]{32}$/.test(value),
  madeByServe: (value) => typeof value === "boolean" || value === "memory",
};

/** The same for all fields. A setting is checked when it is used, so that a wrong one stops no other command. */
const fieldChecks = Object.entries(ownFields).concat(
  settingList.flatMap(({ saved, ...setting }) => {
    const type = isSwitch(setting) ? "boolean" : "string";
    return saved === undefined ? [] : [[setting.name, (value) => typeof value === type]];
  }),
);

function profileProblem(name: string, profile: unknown): string | undefined {
  if (!isProfileName(name)) return "has an invalid name";
  if (!isRecord(profile)) return "is not an object";
  if (typeof profile.baseUrl !== "string") return "has no `baseUrl`";
  const invalid = fieldChecks.find(
    ([field, isValid]) => profile[field] !== undefined && !isValid(profile[field]),
  );
  return invalid && `has an invalid \`${invalid[0]}\``;
}

/** Returns whether `field` is one that a profile may have; others in the file are kept. */
export function isProfileField(field: string): boolean {
  return fieldChecks.some(([name]) => name === field);
}

/** Returns whether `value` is ProfileData; a file without profiles may leave out `profiles`. */
export function isProfileFile(value: unknown): value is Partial<ProfileData> {
  return profileDataProblem(value) === undefined;
}
