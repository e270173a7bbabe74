import {
  currentProfile,
  findProfile,
  type NamedProfile,
  type Profile,
  type ProfileData,
  withCurrent,
  withoutProfile,
  withProfile,
} from "./profiles.ts";

/** The profile that `pets serve` saves unless `--profile` names another (`help store`). */
export const localProfile = "local";

/** Returns the names under which `pets serve` may save a store at `port`, the first one preferred. */
export function serveProfileNames(port: number): readonly string[] {
  return [localProfile, `${localProfile}-${port}`];
}

/**
 * Returns whether `pets serve` may write the profile called `name`: it made it, or there is none. A store in
 * memory may not take the profile of one that keeps its data.
 */
export function isServeProfile(data: ProfileData, name: string, inMemory: boolean): boolean {
  const profile = findProfile(data, name);
  return (
    profile === undefined ||
    profile.madeByServe === "memory" ||
    (profile.madeByServe === true && !inMemory)
  );
}

/** Returns the profiles that stores in memory left, if they were killed, or will remove. */
export function memoryProfiles({ profiles }: ProfileData): readonly NamedProfile[] {
  return Object.entries(profiles)
    .filter(([, { madeByServe }]) => madeByServe === "memory")
    .map(([name, profile]) => ({ name, profile }));
}

/** Returns `data` without that profile, unless it is another store's by now. */
export function withoutServeProfile(
  data: ProfileData,
  { name, profile: { baseUrl, apiKey } }: NamedProfile,
): ProfileData {
  const found = findProfile(data, name);
  const isSame =
    found?.madeByServe === "memory" && found.baseUrl === baseUrl && found.apiKey === apiKey;
  return isSame ? withoutProfile(data, name) : data;
}

/**
 * Returns the keys that earlier stores may have given out: that of the profile called `name` first,
 * then those of the other profiles that `pets serve` made.
 */
export function servedKeys({ profiles }: ProfileData, name: string): readonly string[] {
  const first = Object.entries(profiles).filter(([other]) => other === name);
  const others = Object.entries(profiles).filter(([, { madeByServe }]) => madeByServe);
  const keys = [...first, ...others].map(([, { apiKey }]) => apiKey);
  return [...new Set(keys.filter((key) => key !== undefined))];
}

/** A store as its profile names it. */
export type ServedStore = Required<Pick<Profile, "baseUrl" | "apiKey" | "madeByServe">>;

/**
 * Returns `data` with a store in the profile called `name`; it becomes the current one if none is. Returns the
 * same object if nothing changes.
 */
export function withServeProfile(data: ProfileData, name: string, store: ServedStore): ProfileData {
  const found = findProfile(data, name);
  const isSame =
    found?.madeByServe === store.madeByServe &&
    found.baseUrl === store.baseUrl &&
    found.apiKey === store.apiKey;
  const saved = isSame ? data : withProfile(data, name, { ...found, ...store });
  return currentProfile(data) === undefined ? withCurrent(saved, name) : saved;
}

/** Returns in words what saving the profile called `name` changed; undefined if nothing. */
export function serveProfileChange(
  before: ProfileData,
  after: ProfileData,
  name: string,
): string | undefined {
  const [old, saved] = [findProfile(before, name), findProfile(after, name)];
  const current = before.current === after.current ? "" : ", now the current one";
  if (old === undefined) return `Saved base URL and key as profile ${name}${current}.`;
  const changes = [
    ...(old.baseUrl === saved?.baseUrl ? [] : [`its base URL was ${old.baseUrl}`]),
    ...(old.apiKey === saved?.apiKey ? [] : ["it has another key"]),
  ];
  if (changes.length > 0) return `Updated profile ${name}${current}: ${changes.join(", and ")}.`;
  return current === "" ? undefined : `Profile ${name} is now the current one.`;
}
