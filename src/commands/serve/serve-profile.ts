import {
  currentProfile,
  findProfile,
  type Profile,
  type ProfileData,
  withCurrent,
  withoutProfile,
  withProfile,
} from "../../config/profiles/profiles.ts";
import { Failure, usageFailure } from "../../core/errors.ts";
import type { Context } from "../context.ts";
import { isStoreRunning } from "./running-store.ts";
import { defaultPort, type ServeSettings } from "./settings/settings.ts";
import type { Service } from "./start-service.ts";

/** A store as its profile names it. */
type SavedStore = Required<Pick<Profile, "baseUrl" | "apiKey" | "madeByServe">>;

/**
 * Returns the profile of the store that this command starts; profiles that killed stores in memory left are
 * removed. Throws a usage Failure if `--profile` names one that the store may not have, or if a running store has it.
 */
export async function openServeProfile(
  context: Context,
  { file, port: wanted, profile: isSaved = true }: Pick<ServeSettings, "file" | "port" | "profile">,
) {
  const { profile, sources } = context.settings;
  const asked = sources.profile === "--profile" ? profile : undefined;
  const inMemory = file === undefined;
  const nameAt = (data: ProfileData, port: number): string =>
    asked ?? profileName(data, port, inMemory);
  const found = await removeLeftovers(context, asked === undefined);
  const name = nameAt(found, wanted);
  const problem = asked === undefined ? undefined : foreignProblem(found, name, inMemory);
  if (problem !== undefined)
    throw usageFailure(
      `--profile: ${problem}`,
      `Use another name, or remove it first: \`pets profile remove ${name}\`.`,
    );
  if (isSaved) await checkUnused(found, name, wanted);
  let saved: SavedStore | undefined;
  return {
    /** Keys that earlier stores may have given out. */
    knownKeys: inMemory ? [] : servedKeys(found, name),
    /**
     * Saves base URL and first key of a running store, prints what changed, and returns the profile's
     * name; undefined, with a warning, if it could not be saved: the store is useful without it.
     */
    save: async ({ baseUrl, keys: [{ apiKey }] }: Pick<Service, "baseUrl" | "keys">) => {
      if (!isSaved) return undefined;
      const store: SavedStore = { baseUrl, apiKey, madeByServe: inMemory ? "memory" : true };
      const port = Number(new URL(baseUrl).port);
      return unlessUnusable(context, "no profile was saved", async () => {
        const profiles = await context.profiles();
        const before = await profiles.read();
        const own = nameAt(before, port);
        await checkUnused(before, own, port);
        const foreign = foreignProblem(before, own, inMemory);
        if (foreign !== undefined) {
          await context.warn(`no profile was saved: ${foreign}`);
          return undefined;
        }
        let change: string | undefined;
        await profiles.update((data) => {
          const after = withStore(data, own, store);
          change = describeChange(data, after, own);
          return after;
        });
        if (change !== undefined) await context.note(change);
        saved = store;
        return own;
      });
    },
    /** Removes what `save` made of a store in memory. */
    remove: async (): Promise<void> => {
      if (!inMemory || saved === undefined) return;
      const { baseUrl, apiKey } = saved;
      await unlessUnusable(context, "the profile was not removed", async () => {
        const profiles = await context.profiles();
        await profiles.update((data) =>
          withoutMemory(data, (each) => each.baseUrl === baseUrl && each.apiKey === apiKey),
        );
      });
    },
  };
}

/** Returns the name of the profile of a store at `port`, unless `--profile` names another. */
function profileName(data: ProfileData, port: number, inMemory: boolean): string {
  const name = port === defaultPort ? "local" : `local-${port}`;
  const isOfFile = findProfile(data, name)?.madeByServe === true;
  return inMemory && isOfFile ? "local-memory" : name;
}

/** Returns why a store may not have the profile called `name`; undefined if it may. */
function foreignProblem(data: ProfileData, name: string, inMemory: boolean): string | undefined {
  const profile = findProfile(data, name);
  if (profile !== undefined && profile.madeByServe === undefined)
    return `\`pets serve\` did not make profile ${name}, and does not replace it`;
  if (inMemory && profile?.madeByServe === true)
    return `profile ${name} belongs to a store that keeps its data; a store in memory does not replace it`;
  return undefined;
}

/** Throws a usage Failure if a store that runs at another port has the profile called `name`. */
async function checkUnused(data: ProfileData, name: string, port: number): Promise<void> {
  const { baseUrl, madeByServe } = findProfile(data, name) ?? {};
  if (baseUrl === undefined || madeByServe === undefined) return;
  if (new URL(baseUrl).port === String(port) || !(await isStoreRunning(baseUrl))) return;
  throw usageFailure(
    `profile ${name} belongs to the store that is running at ${baseUrl}`,
    "Use another name with `--profile`, or `--no-profile`.",
  );
}

/** Returns the profiles, without those of stores in memory that no longer run; none, if `quietly` and they can't be read. */
async function removeLeftovers(context: Context, quietly: boolean): Promise<ProfileData> {
  try {
    const profiles = await context.profiles();
    const found = await profiles.read();
    const urls = Object.values(found.profiles)
      .filter(({ madeByServe }) => madeByServe === "memory")
      .map(({ baseUrl }) => baseUrl);
    const running = await Promise.all(urls.map(isStoreRunning));
    const stopped = new Set(urls.filter((_url, at) => running[at] === false));
    if (stopped.size === 0) return found;
    return await profiles.update((data) =>
      withoutMemory(data, ({ baseUrl }) => stopped.has(baseUrl)),
    );
  } catch (error) {
    // `save` warns about it.
    if (!quietly || !(error instanceof Failure)) throw error;
    return { profiles: {} };
  }
}

/** Returns `data` without the profiles of stores in memory that meet `isGone`. */
function withoutMemory(data: ProfileData, isGone: (profile: Profile) => boolean): ProfileData {
  return Object.entries(data.profiles)
    .filter(([, profile]) => profile.madeByServe === "memory" && isGone(profile))
    .reduce((rest, [name]) => withoutProfile(rest, name), data);
}

/** Returns the keys that earlier stores may have given out: that of the profile called `name` first. */
function servedKeys(data: ProfileData, name: string): readonly string[] {
  const made = Object.values(data.profiles).filter(({ madeByServe }) => madeByServe);
  const keys = [findProfile(data, name), ...made].map((profile) => profile?.apiKey);
  return [...new Set(keys.filter((key) => key !== undefined))];
}

/**
 * Returns `data` with a store in the profile called `name`; it becomes the current one if none is. Returns the
 * same object if nothing changes.
 */
function withStore(data: ProfileData, name: string, store: SavedStore): ProfileData {
  const found = findProfile(data, name);
  const isSame =
    found?.madeByServe === store.madeByServe &&
    found.baseUrl === store.baseUrl &&
    found.apiKey === store.apiKey;
  const saved = isSame ? data : withProfile(data, name, { ...found, ...store });
  return currentProfile(data) === undefined ? withCurrent(saved, name) : saved;
}

/** Returns in words what saving the profile called `name` changed; undefined if nothing. */
function describeChange(before: ProfileData, after: ProfileData, name: string): string | undefined {
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

/** Returns what `work` does with the profiles; warns if they can't be used. */
async function unlessUnusable<T>(
  context: Context,
  problem: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== "io") throw error;
    await context.warn(`${problem}: ${error.message}`);
    return undefined;
  }
}
