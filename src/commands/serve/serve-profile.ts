import type { ProfileStore } from "../../config/profiles/store.ts";
import {
  findProfile,
  type NamedProfile,
  type ProfileData,
} from "../../config/profiles/profiles.ts";
import {
  isServeProfile,
  localProfile,
  memoryProfiles,
  type ServedStore,
  serveProfileChange,
  serveProfileNames,
  servedKeys,
  withoutServeProfile,
  withServeProfile,
} from "../../config/profiles/serve-profile.ts";
import { Failure, usageFailure } from "../../core/errors.ts";
import type { Context } from "../context.ts";
import { isStoreRunning } from "./running-store.ts";
import type { ServeSettings } from "./settings/settings.ts";
import type { Service } from "./start-service.ts";

/** The profile that a store is saved in. */
export interface ServeProfile {
  /** Keys that earlier stores may have given out. */
  readonly knownKeys: readonly string[];
  /**
   * Saves base URL and first key of a running store, prints what changed, and returns the profile's
   * name; undefined, with a warning, if it could not be saved: the store is useful without it.
   */
  save(service: Pick<Service, "baseUrl" | "keys">): Promise<string | undefined>;
  /** Removes what `save` made of a store in memory. */
  remove(): Promise<void>;
}

/**
 * Returns the profile of the store that this command starts; profiles that killed stores in memory left are
 * removed. Throws a usage Failure if `--profile` names one that the store may not have.
 */
export async function openServeProfile(
  context: Context,
  { file, hasProfile }: Pick<ServeSettings, "file" | "hasProfile">,
): Promise<ServeProfile> {
  const { profile, given } = context.settings;
  const asked = given.profile?.from === "--profile" ? profile : undefined;
  const inMemory = file === undefined;
  const data = await removeLeftovers(context, asked === undefined);
  if (asked !== undefined && !isServeProfile(data, asked, inMemory))
    throw foreignFailure(asked, findProfile(data, asked)?.madeByServe === true);
  let saved: NamedProfile | undefined;
  return {
    knownKeys: inMemory ? [] : servedKeys(data, asked ?? localProfile),
    save: async ({ baseUrl, keys: [{ apiKey }] }) => {
      if (!hasProfile) return undefined;
      const store: ServedStore = { baseUrl, apiKey, madeByServe: inMemory ? "memory" : true };
      const name = await unlessUnusable(
        context,
        `the profile ${asked ?? localProfile} was not saved`,
        () => saveStore(context, asked, store),
      );
      if (name !== undefined && inMemory) saved = { name, profile: store };
      return name;
    },
    remove: async () => {
      const made = saved;
      if (made === undefined) return;
      await unlessUnusable(context, `the profile ${made.name} was not removed`, async () => {
        const profiles = await context.profiles();
        await profiles.update((before) => withoutServeProfile(before, made));
      });
    },
  };
}

/** Returns the profiles, without those of stores in memory that no longer run; none, if `quietly` and they can't be read. */
async function removeLeftovers(context: Context, quietly: boolean): Promise<ProfileData> {
  try {
    const profiles = await context.profiles();
    const found = await profiles.read();
    const memory = memoryProfiles(found);
    const running = await Promise.all(memory.map(({ profile }) => isStoreRunning(profile.baseUrl)));
    const left = memory.filter((_profile, place) => running[place] === false);
    if (left.length === 0) return found;
    return await profiles.update((data) => left.reduce(withoutServeProfile, data));
  } catch (error) {
    // `save` warns about it.
    if (!quietly || !(error instanceof Failure)) throw error;
    return { profiles: {} };
  }
}

function foreignFailure(name: string, keepsData: boolean): Failure {
  return usageFailure(
    keepsData
      ? `--profile: profile ${name} belongs to a store that keeps its data; a store in memory does not replace it`
      : `--profile: \`pets serve\` did not make profile ${name}, and does not replace it`,
    "use another name, or remove it first: `pets profile remove " + name + "`",
  );
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

/** Saves `served` under the name asked for, or one that it may have; returns that name. */
async function saveStore(
  context: Context,
  asked: string | undefined,
  served: ServedStore,
): Promise<string | undefined> {
  const profiles: ProfileStore = await context.profiles();
  for (;;) {
    const before = await profiles.read();
    const name = await chooseName(before, asked, served);
    if (name === undefined) {
      await context.warn("no profile was saved: others have the names that this store may use");
      return undefined;
    }
    const chosenFor = JSON.stringify(findProfile(before, name));
    let change: string | undefined;
    let isChosen = false;
    await profiles.update((data) => {
      // If another process has written the profile since, its store may be running.
      isChosen = JSON.stringify(findProfile(data, name)) === chosenFor;
      if (!isChosen) return data;
      const after = withServeProfile(data, name, served);
      change = serveProfileChange(data, after, name);
      return after;
    });
    if (!isChosen) continue;
    if (change !== undefined) await context.note(change);
    return name;
  }
}

/** Returns the name to save a store under; undefined if all belong to others. */
async function chooseName(
  data: ProfileData,
  asked: string | undefined,
  { baseUrl, madeByServe }: ServedStore,
): Promise<string | undefined> {
  const { port } = new URL(baseUrl);
  const names = asked === undefined ? serveProfileNames(Number(port)) : [asked];
  for (const name of names) {
    if (!isServeProfile(data, name, madeByServe === "memory")) continue;
    const found = findProfile(data, name);
    const isFree = asked !== undefined || found === undefined || found.baseUrl === baseUrl;
    if (isFree || !(await isStoreRunning(found.baseUrl))) return name;
  }
  return undefined;
}
