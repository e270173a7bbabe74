import { isApiKey } from "../../core/api-key.ts";
import { usageFailure } from "../../core/errors.ts";
import { isProfileName } from "./profile-name.ts";
import type { Profile, ProfileData, Sourced } from "../types.ts";

/** A profile and its name. */
export interface NamedProfile {
  readonly name: string;
  readonly profile: Profile;
}

/** No profiles at all. */
export const noProfiles: ProfileData = { profiles: {} };

/** The profile called `name`, or undefined. */
export function findProfile({ profiles }: ProfileData, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/**
 * The profile called `name`. Throws a usage Failure, which names `from`, the flag, variable or
 * argument that asked for it, where there is none.
 */
export function requireProfile(data: ProfileData, { value, from }: Sourced<string>): NamedProfile {
  const profile = findProfile(data, value);
  if (profile !== undefined) return { name: value, profile };
  throw usageFailure(
    `there is no profile ${JSON.stringify(value)}, which ${from} names`,
    "see `pets profile list`, or make it with `pets login --profile`",
  );
}

/** The current profile, or undefined where none is. */
export function currentProfile(data: ProfileData): NamedProfile | undefined {
  if (data.current === undefined) return undefined;
  const profile = findProfile(data, data.current);
  return profile && { name: data.current, profile };
}

/** `data` with `profile` under `name`, in place of what is there. */
export function withProfile(data: ProfileData, name: string, profile: Profile): ProfileData {
  return { ...data, profiles: { ...data.profiles, [name]: profile } };
}

/** `data` with `name` as the current profile. */
export function withCurrent(data: ProfileData, name: string): ProfileData {
  return data.current === name ? data : { ...data, current: name };
}

/** `data` without the profile called `name`; after the current one is removed none is current. */
export function withoutProfile(data: ProfileData, name: string): ProfileData {
  const kept = Object.entries(data.profiles).filter(([other]) => other !== name);
  const { current, ...rest } = data;
  const profiles = Object.fromEntries(kept);
  return { ...rest, ...(current !== undefined && current !== name && { current }), profiles };
}

/** `data` with the profile called `name`, but without its key. */
export function withoutKey(data: ProfileData, { name, profile }: NamedProfile): ProfileData {
  const { apiKey, ...rest } = profile;
  return apiKey === undefined ? data : withProfile(data, name, rest);
}

/**
 * What is wrong with `value` as ProfileData, shown without anything of it but names, or undefined
 * where nothing is. Fields that are not known here are fine, and are kept.
 */
export function profileDataProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return "it holds no JSON object";
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

function profileProblem(name: string, profile: unknown): string | undefined {
  if (!isProfileName(name)) return "has a name that is not allowed";
  if (!isRecord(profile)) return "is not an object";
  if (typeof profile.baseUrl !== "string") return "has no `baseUrl`";
  const { apiKey } = profile;
  if (apiKey !== undefined && (typeof apiKey !== "string" || !isApiKey(apiKey)))
    return "has an `apiKey` that can't be one";
  return undefined;
}

/** Whether `value` is ProfileData, but for `profiles`, which a file without any leaves out. */
export function isProfileFile(value: unknown): value is Partial<ProfileData> {
  return profileDataProblem(value) === undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
