import { usageFailure } from "../../core/errors.ts";
import type { Settings } from "../settings.ts";
import { isProfileName } from "./name.ts";
import {
  currentProfile,
  findProfile,
  hasKey,
  type NamedProfile,
  type Profile,
  type ProfileData,
  requireProfile,
} from "./profiles.ts";

// Which profile a command line means (`help profiles`).

type Named = Pick<Settings, "profile" | "given">;

/** Returns the profile for requests: the one that is named, else the current one. Throws a usage Failure if it is unknown. */
export function chooseProfile({ profile, given }: Named, data: ProfileData) {
  if (profile === undefined) return currentProfile(data);
  return requireProfile(data, profile, given.profile?.from);
}

/** Returns the same, to show or change it. Throws a usage Failure also if none is named and none is current. */
export function chooseExisting(settings: Named, data: ProfileData): NamedProfile {
  const chosen = chooseProfile(settings, data);
  if (chosen !== undefined) return chosen;
  if (Object.keys(data.profiles).length === 0)
    throw usageFailure("there are no profiles", "Create one with `pets login`.");
  throw usageFailure(
    "no profile is current",
    "Choose one with `--profile`: `pets profile list` lists them.",
  );
}

const defaultProfile = "default";

/** Returns the name of the profile to save a login to: that of `pets serve` gets no service elsewhere. */
export function chooseForLogin({ profile }: Named, data: ProfileData, baseUrl?: URL): string {
  if (profile !== undefined) return profile;
  const current = currentProfile(data);
  if (current === undefined) return defaultProfile;
  const isElsewhere = baseUrl !== undefined && originOf(current.profile) !== baseUrl.origin;
  return current.profile.madeByServe && isElsewhere ? defaultProfile : current.name;
}

/** Returns the origin for which the profile called `name` has a key, if that is not the one of `baseUrl`. */
export function keptOrigin(data: ProfileData, name: string, baseUrl: URL): string | undefined {
  const profile = findProfile(data, name);
  if (profile === undefined || !hasKey(profile)) return undefined;
  const origin = originOf(profile);
  return origin === baseUrl.origin ? undefined : (origin ?? profile.baseUrl);
}

/** Returns a name to offer for a service: that of a profile that it has, else of its host. */
export function nameFor({ origin, hostname }: URL, data: ProfileData): string {
  const known = Object.entries(data.profiles).find(([, each]) => originOf(each) === origin);
  if (known !== undefined) return known[0];
  const host = isProfileName(hostname) ? hostname : "other";
  let name = host;
  for (let n = 2; findProfile(data, name) !== undefined; n += 1) name = `${host}-${n}`;
  return name;
}

/** Returns the name for a store of `pets serve` at `port`: one in memory replaces none that keeps its data. */
export function chooseForStore(
  port: number,
  usualPort: number,
  inMemory: boolean,
  data: ProfileData,
) {
  const local = port === usualPort ? "local" : `local-${port}`;
  return inMemory && findProfile(data, local)?.madeByServe === true ? "local-memory" : local;
}

/** Returns whether no profile is meant, or one that is gone, as that of a store in memory when it stops. */
export function isGone({ profile }: Named, data: ProfileData): boolean {
  const name = profile ?? data.current;
  return name === undefined || findProfile(data, name) === undefined;
}

/** Returns the origin of a profile's base URL; undefined if that is none. */
export const originOf = ({ baseUrl }: Profile): string | undefined => URL.parse(baseUrl)?.origin;
