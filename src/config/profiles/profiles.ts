import { usageFailure } from "../../core/errors.ts";
import { unknownText } from "../../core/strings.ts";
import type { Profile, ProfileData } from "./schema.ts";

export type { Profile, ProfileData } from "./schema.ts";

export interface NamedProfile {
  readonly name: string;
  readonly profile: Profile;
}

export const noProfiles: ProfileData = { profiles: {} };

/** Returns the profile called `name`, if there is one. */
export function findProfile({ profiles }: ProfileData, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** Returns the profile called `name`. If there is none, throws a usage Failure that names the variable that asked for it. */
export function requireProfile(data: ProfileData, name: string, variable?: string): NamedProfile {
  const profile = findProfile(data, name);
  if (profile !== undefined) return { name, profile };
  const names = Object.keys(data.profiles);
  throw usageFailure(
    unknownText("profile", name, names, variable),
    names.length === 0
      ? `Create it with \`pets login --profile ${name}\`.`
      : "See `pets profile list`.",
  );
}

/** Returns the current profile, if there is one. */
export function currentProfile(data: ProfileData): NamedProfile | undefined {
  if (data.current === undefined) return undefined;
  const profile = findProfile(data, data.current);
  return profile && { name: data.current, profile };
}

/** Returns `data` with `profile` under `name`, replacing one of that name. */
export function withProfile(data: ProfileData, name: string, profile: Profile): ProfileData {
  return { ...data, profiles: { ...data.profiles, [name]: profile } };
}

/** Returns `data` with `name` as its current profile. */
export function withCurrent(data: ProfileData, name: string): ProfileData {
  return data.current === name ? data : { ...data, current: name };
}

/** Returns `data` without the profile called `name`; if it was the current one, none is current. */
export function withoutProfile(data: ProfileData, name: string): ProfileData {
  const { current, ...rest } = data;
  const { [name]: _, ...profiles } = data.profiles;
  return { ...rest, ...(current !== undefined && current !== name && { current }), profiles };
}

/** Returns whether a profile has a key, or a command that prints one. */
export function hasKey({ apiKey, keyCommand }: Profile): boolean {
  return apiKey !== undefined || keyCommand !== undefined;
}

/** Returns `data` without the key, or the command that prints it, of the profile called `name`. */
export function withoutApiKey(data: ProfileData, { name, profile }: NamedProfile): ProfileData {
  const { apiKey: _key, keyCommand: _command, ...rest } = profile;
  return hasKey(profile) ? withProfile(data, name, rest) : data;
}
