import {
  currentProfile,
  findProfile,
  type Profile,
  type ProfileData,
  withCurrent,
  withoutProfile,
  withProfile,
} from "./profiles.ts";

// The profiles that `pets serve` makes (`help store`).

/** Returns why a store must not replace the profile called `name`; undefined if it may. */
export function ownerProblem(
  data: ProfileData,
  name: string,
  inMemory: boolean,
): string | undefined {
  const old = findProfile(data, name);
  if (old === undefined) return undefined;
  if (!old.madeByServe)
    return `profile ${name} was not made by \`pets serve\`, which does not replace it`;
  const isKept = inMemory && old.madeByServe === true;
  return isKept ? `profile ${name} belongs to a store that keeps its data` : undefined;
}

/** Returns the key that `pets serve` saved in the profile called `name`, and those in all its profiles, that one first. */
export function servedKeys(data: ProfileData, name: string) {
  const ownKey = servedKey(findProfile(data, name));
  const keys = [ownKey, ...Object.values(data.profiles).map(servedKey)];
  const knownKeys: readonly string[] = [...new Set(keys.filter((key) => key !== undefined))];
  return { ownKey, knownKeys };
}

const servedKey = (profile?: Profile) => (profile?.madeByServe ? profile.apiKey : undefined);

/** Returns `data` with a store in the profile called `name`, which becomes the current one if none is. */
export function withStore(data: ProfileData, name: string, store: Profile): ProfileData {
  const saved = withProfile(data, name, { ...findProfile(data, name), ...store });
  return currentProfile(data) === undefined ? withCurrent(saved, name) : saved;
}

/** Returns `data` without the profiles of those stores in memory for which `isGone` is true. */
export function withoutMemory(
  data: ProfileData,
  isGone: (profile: Profile) => boolean,
): ProfileData {
  return Object.entries(data.profiles)
    .filter(([, profile]) => profile.madeByServe === "memory" && isGone(profile))
    .reduce((rest, [name]) => withoutProfile(rest, name), data);
}

/** Returns whether both are profiles of one store with one key, or there is neither. */
export function isSameStore(one: Profile | undefined, other: Profile | undefined): boolean {
  return one?.baseUrl === other?.baseUrl && one?.apiKey === other?.apiKey;
}

/** Returns the note about what changed in the profile called `name`; undefined if nothing did. */
export function describeChange(
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
