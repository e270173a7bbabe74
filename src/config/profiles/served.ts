import {
  currentProfile,
  findProfile,
  noProfiles,
  type Profile,
  type ProfileData,
  withCurrent,
  withoutProfile,
  withProfile,
} from "./profiles.ts";

// The profiles that `pets serve` makes (`help store`).

/** Returns why a store may not replace the profile called `name`; undefined if it may. */
export function ownerProblem(
  name: string,
  inMemory: boolean,
  data = noProfiles,
): string | undefined {
  const old = findProfile(data, name);
  if (old === undefined) return undefined;
  if (old.madeByServe === undefined)
    return `profile ${name} was not made by \`pets serve\`, which does not replace it`;
  const isKept = inMemory && old.madeByServe === true;
  return isKept ? `profile ${name} belongs to a store that keeps its data` : undefined;
}

/** Returns the key that the profile called `name` has from a store, and those that all profiles have from one. */
export function servedKeys(name: string, data = noProfiles) {
  const made = Object.entries(data.profiles).filter(([, { madeByServe }]) => madeByServe);
  const own = Object.fromEntries(made)[name]?.apiKey;
  const others: readonly string[] = made.flatMap(([, { apiKey }]) => apiKey ?? []);
  return { ownKey: own, knownKeys: own === undefined ? others : [own, ...others] };
}

/** Returns `data` with a store in the profile called `name`, which becomes the current one if none is. */
export function withStore(data: ProfileData, name: string, store: Profile): ProfileData {
  const saved = withProfile(data, name, { ...findProfile(data, name), ...store });
  return currentProfile(data) === undefined ? withCurrent(saved, name) : saved;
}

export function withoutMemory(
  data: ProfileData,
  isGone: (profile: Profile) => boolean,
): ProfileData {
  return Object.entries(data.profiles)
    .filter(([, profile]) => profile.madeByServe === "memory" && isGone(profile))
    .reduce((rest, [name]) => withoutProfile(rest, name), data);
}

/** Returns undefined if nothing changed. */
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
