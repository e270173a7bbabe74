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

/**
 * Returns the profile of the store that this command starts; profiles that killed stores in memory left are
 * removed. Throws a usage Failure if `--profile` names one that the store may not have.
 */
export async function openServeProfile(
  context: Context,
  { file, profile: isSaved = true }: Pick<ServeSettings, "file" | "profile">,
) {
  const { profile, given } = context.settings;
  const asked = given.profile?.from === "--profile" ? profile : undefined;
  const inMemory = file === undefined;
  const data = await removeLeftovers(context, asked === undefined);
  if (asked !== undefined && !isServeProfile(data, asked, inMemory))
    throw foreignFailure(asked, findProfile(data, asked)?.madeByServe === true);
  let saved: NamedProfile | undefined;
  return {
    /** Keys that earlier stores may have given out. */
    knownKeys: inMemory ? [] : servedKeys(data, asked ?? localProfile),
    /**
     * Saves base URL and first key of a running store, prints what changed, and returns the profile's
     * name; undefined, with a warning, if it could not be saved: the store is useful without it.
     */
    save: async ({ baseUrl, keys: [{ apiKey }] }: Pick<Service, "baseUrl" | "keys">) => {
      if (!isSaved) return undefined;
      const store: ServedStore = { baseUrl, apiKey, madeByServe: inMemory ? "memory" : true };
      const name = await unlessUnusable(context, `${asked ?? localProfile} was not saved`, () =>
        saveStore(context, asked, store),
      );
      if (name !== undefined && inMemory) saved = { name, profile: store };
      return name;
    },
    /** Removes what `save` made of a store in memory. */
    remove: async (): Promise<void> => {
      const made = saved;
      if (made === undefined) return;
      await unlessUnusable(context, `${made.name} was not removed`, async () => {
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
    const stopped = await stoppedAmong(memory.map(({ profile }) => profile.baseUrl));
    const left = memory.filter(({ profile }) => stopped.has(profile.baseUrl));
    if (left.length === 0) return found;
    return await profiles.update((data) => left.reduce(withoutServeProfile, data));
  } catch (error) {
    // `save` warns about it.
    if (!quietly || !(error instanceof Failure)) throw error;
    return { profiles: {} };
  }
}

/** Returns those of the base URLs at which no store answers. */
async function stoppedAmong(baseUrls: readonly string[]): Promise<ReadonlySet<string>> {
  const running = await Promise.all(baseUrls.map(isStoreRunning));
  return new Set(baseUrls.filter((_baseUrl, place) => running[place] === false));
}

function foreignFailure(name: string, keepsData: boolean): Failure {
  return usageFailure(
    keepsData
      ? `--profile: profile ${name} belongs to a store that keeps its data; a store in memory does not replace it`
      : `--profile: \`pets serve\` did not make profile ${name}, and does not replace it`,
    `use another name, or remove it first: \`pets profile remove ${name}\``,
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
    await context.warn(`the profile ${problem}: ${error.message}`);
    return undefined;
  }
}

/** Saves a store under the name asked for, or one that it may have; returns that name. */
async function saveStore(
  context: Context,
  asked: string | undefined,
  store: ServedStore,
): Promise<string | undefined> {
  const { port } = new URL(store.baseUrl);
  const names = asked === undefined ? serveProfileNames(Number(port)) : [asked];
  const profiles = await context.profiles();
  const before = await profiles.read();
  const stopped = await stoppedAmong(
    names.flatMap((each) => findProfile(before, each)?.baseUrl ?? []),
  );
  const mayTake = (data: ProfileData, name: string): boolean => {
    const { baseUrl } = findProfile(data, name) ?? store;
    // One that another process has written since may be of a running store.
    const isFree = asked !== undefined || baseUrl === store.baseUrl || stopped.has(baseUrl);
    return isFree && isServeProfile(data, name, store.madeByServe === "memory");
  };
  let name: string | undefined;
  let change: string | undefined;
  await profiles.update((data) => {
    name = names.find((each) => mayTake(data, each));
    if (name === undefined) return data;
    const after = withServeProfile(data, name, store);
    change = serveProfileChange(data, after, name);
    return after;
  });
  if (name === undefined)
    await context.warn("no profile was saved: others have the names that this store may use");
  if (change !== undefined) await context.note(change);
  return name;
}
