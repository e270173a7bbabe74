import { findProfile } from "../../config/profiles/profiles.ts";
import {
  isServeProfile,
  localProfile,
  serveProfileChange,
  serveProfileNames,
  servedKeys,
  withServeProfile,
} from "../../config/profiles/serve-profile.ts";
import type { Profile, ProfileData, ProfileStore } from "../../config/types.ts";
import { Failure, usageFailure } from "../../core/errors.ts";
import type { Context } from "../context.ts";
import { isStoreRunning } from "./running-store.ts";
import type { Service } from "./start-service.ts";

/** The profile that a store is saved in (store.md, Starting it). */
export interface ServeProfile {
  /** Keys that earlier stores may have given out. */
  readonly knownKeys: readonly string[];
  /**
   * Saves base URL and first key of a running store, prints what changed, and returns the profile's
   * name; undefined, with a warning, if it could not be saved: the store is useful without it.
   */
  save(service: Pick<Service, "baseUrl" | "keys">): Promise<string | undefined>;
}

/**
 * Returns the profile of the store that this command starts. Throws a usage Failure if `--profile`
 * names one that `pets serve` did not make.
 */
export async function openServeProfile(context: Context): Promise<ServeProfile> {
  const { profile } = context.settings;
  const asked = profile?.from === "--profile" ? profile.value : undefined;
  const data = asked === undefined ? await readQuietly(context) : await readAll(context);
  if (asked !== undefined && !isServeProfile(data, asked)) throw foreignFailure(asked);
  return {
    knownKeys: servedKeys(data, asked ?? localProfile),
    save: ({ baseUrl, keys: [{ apiKey }] }) => save(context, asked, { baseUrl, apiKey }),
  };
}

async function readAll(context: Context): Promise<ProfileData> {
  const store = await context.profiles();
  return store.read();
}

/** Reads the profiles; if they can't be read, there are none, and `save` warns. */
async function readQuietly(context: Context): Promise<ProfileData> {
  try {
    return await readAll(context);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { profiles: {} };
  }
}

function foreignFailure(name: string): Failure {
  return usageFailure(
    `--profile: \`pets serve\` did not make profile ${name}, and does not replace it`,
    "use another name, or remove it first: `pets profile remove " + name + "`",
  );
}

type SavedProfile = Required<Pick<Profile, "baseUrl" | "apiKey">>;

async function save(
  context: Context,
  asked: string | undefined,
  profile: SavedProfile,
): Promise<string | undefined> {
  try {
    return await saveIn(await context.profiles(), context, asked, profile);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== "io") throw error;
    await context.warn(`the profile ${asked ?? localProfile} was not saved: ${error.message}`);
    return undefined;
  }
}

async function saveIn(
  store: ProfileStore,
  context: Context,
  asked: string | undefined,
  profile: SavedProfile,
): Promise<string | undefined> {
  for (;;) {
    const before = await store.read();
    const name = await chooseName(before, asked, profile.baseUrl);
    if (name === undefined) {
      await context.warn("no profile was saved: others have the names that this store may use");
      return undefined;
    }
    const chosenFor = JSON.stringify(findProfile(before, name));
    let change: string | undefined;
    let isChosen = false;
    await store.update((data) => {
      // If another process has written the profile since, its store may be running.
      isChosen = JSON.stringify(findProfile(data, name)) === chosenFor;
      if (!isChosen) return data;
      const after = withServeProfile(data, name, profile);
      change = serveProfileChange(data, after, name);
      return after;
    });
    if (!isChosen) continue;
    if (change !== undefined) await context.note(change);
    return name;
  }
}

/** Returns the name to save a store at `baseUrl` under; undefined if all belong to others. */
async function chooseName(
  data: ProfileData,
  asked: string | undefined,
  baseUrl: string,
): Promise<string | undefined> {
  const { port } = new URL(baseUrl);
  const names = asked === undefined ? serveProfileNames(Number(port)) : [asked];
  for (const name of names) {
    if (!isServeProfile(data, name)) continue;
    const found = findProfile(data, name);
    const isFree = asked !== undefined || found === undefined || found.baseUrl === baseUrl;
    if (isFree || !(await isStoreRunning(found.baseUrl))) return name;
  }
  return undefined;
}
