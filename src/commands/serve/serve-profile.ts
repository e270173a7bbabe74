import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import {
  currentProfile,
  findProfile,
  noProfiles,
  type Profile,
  type ProfileData,
  withCurrent,
  withoutProfile,
  withProfile,
} from "../../config/profiles/profiles.ts";
import type { ProfileStore } from "../../config/profiles/store.ts";
import { Failure, ioFailure, usageFailure } from "../../core/errors.ts";
import type { Context } from "../context.ts";
import { defaultPort, type ServeSettings } from "./settings.ts";
import type { Service } from "./start-service.ts";

/**
 * Chooses the profile of the store to start, and removes those that killed stores in memory left. Throws a usage Failure
 * if `--profile` names one that the store may not have, or if a running store has it.
 */
export async function openServeProfile(
  context: Context,
  { file, port: wanted, profile: isSaved = true }: Pick<ServeSettings, "file" | "port" | "profile">,
) {
  const { profile, given } = context.settings;
  const asked = given.profile?.from === "--profile" ? profile : undefined;
  const inMemory = file === undefined;
  const profiles = await context.profiles();
  /** Returns the name of the profile of a store at `port`, and why the store may not replace it. */
  const choose = (data: ProfileData, port: number) => {
    const local = port === defaultPort ? "local" : `local-${port}`;
    const keepsData = (name: string) => findProfile(data, name)?.madeByServe === true;
    const name = asked ?? (inMemory && keepsData(local) ? "local-memory" : local);
    const old = findProfile(data, name);
    let problem: string | undefined;
    if (old !== undefined && old.madeByServe === undefined)
      problem = `profile ${name} was not made by \`pets serve\`, which does not replace it`;
    else if (inMemory && keepsData(name))
      problem = `profile ${name} belongs to a store that keeps its data`;
    return { name, problem };
  };
  const found = await withoutLeftovers(profiles).catch((error: unknown) => {
    // `save` warns about it.
    if (asked === undefined && error instanceof Failure) return noProfiles;
    throw error;
  });
  const { name, problem } = choose(found, wanted);
  if (asked !== undefined && problem !== undefined)
    throw usageFailure(
      `--profile: ${problem}`,
      `Use another name, or remove it first: \`pets profile remove ${name}\`.`,
    );
  if (isSaved) await checkUnused(found, name, wanted);
  /** Does `work`; warns if the profiles can't be used: the store is useful without one. */
  const orWarn = async <T>(failed: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== "io") throw error;
      await context.warn(`${failed}: ${error.message}`);
      return undefined;
    }
  };
  let saved: Profile | undefined;
  return {
    /** Keys that earlier stores may have issued. */
    knownKeys: inMemory ? [] : servedKeys(found, name),
    /** Saves base URL and first key of a running store, and prints what changed. Returns the name if it could. */
    save: async ({ baseUrl, keys: [{ apiKey }] }: Pick<Service, "baseUrl" | "keys">) => {
      if (!isSaved) return undefined;
      return orWarn("no profile was saved", async () => {
        const before = await profiles.read();
        const port = Number(new URL(baseUrl).port);
        const own = choose(before, port);
        await checkUnused(before, own.name, port);
        if (own.problem !== undefined) throw ioFailure(own.problem);
        const store: Profile = { baseUrl, apiKey, madeByServe: inMemory ? "memory" : true };
        const after = await profiles.update((data) => withStore(data, own.name, store));
        saved = store;
        const change = describeChange(before, after, own.name);
        if (change !== undefined) await context.note(change);
        return own.name;
      });
    },
    /** Removes what `save` made of a store in memory. */
    remove: async (): Promise<void> => {
      if (!inMemory || saved === undefined) return;
      const { baseUrl, apiKey } = saved;
      const isOwn = (each: Profile) => each.baseUrl === baseUrl && each.apiKey === apiKey;
      await orWarn("the profile was not removed", () =>
        profiles.update((data) => withoutMemory(data, isOwn)),
      );
    },
  };
}

/** Throws a usage Failure if another store that is running has the profile called `name`. */
async function checkUnused(data: ProfileData, name: string, port: number): Promise<void> {
  const { baseUrl, madeByServe } = findProfile(data, name) ?? {};
  if (baseUrl === undefined || madeByServe === undefined) return;
  if (new URL(baseUrl).port === String(port) || !(await isStoreRunning(baseUrl))) return;
  throw usageFailure(
    `profile ${name} belongs to the store that is running at ${baseUrl}`,
    "Use another name with `--profile`, or `--no-profile`.",
  );
}

/** Removes the profiles of stores in memory that no longer run, and returns the others. */
async function withoutLeftovers(profiles: ProfileStore): Promise<ProfileData> {
  const found = await profiles.read();
  const urls = Object.values(found.profiles)
    .filter(({ madeByServe }) => madeByServe === "memory")
    .map(({ baseUrl }) => baseUrl);
  const running = await Promise.all(urls.map(isStoreRunning));
  const stopped = new Set(urls.filter((_url, at) => running[at] === false));
  if (stopped.size === 0) return found;
  return profiles.update((data) => withoutMemory(data, ({ baseUrl }) => stopped.has(baseUrl)));
}

function withoutMemory(data: ProfileData, isGone: (profile: Profile) => boolean): ProfileData {
  return Object.entries(data.profiles)
    .filter(([, profile]) => profile.madeByServe === "memory" && isGone(profile))
    .reduce((rest, [name]) => withoutProfile(rest, name), data);
}

/** Returns the keys that earlier stores may have issued: that of the profile called `name` first. */
function servedKeys(data: ProfileData, name: string): readonly string[] {
  const made = Object.values(data.profiles).filter(({ madeByServe }) => madeByServe);
  const keys = [findProfile(data, name), ...made].map((profile) => profile?.apiKey);
  return [...new Set(keys.filter((key) => key !== undefined))];
}

/** Returns `data` with a store in the profile called `name`, which becomes the current one if none is. */
function withStore(data: ProfileData, name: string, store: Profile): ProfileData {
  const saved = withProfile(data, name, { ...findProfile(data, name), ...store });
  return currentProfile(data) === undefined ? withCurrent(saved, name) : saved;
}

/** Returns undefined if nothing changed. */
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

const responseTimeoutMs = 1000;

/** Returns true if a store responds to `/healthz` at `baseUrl`, whether it can use its data or not (503). */
export async function isStoreRunning(baseUrl: string): Promise<boolean> {
  const url = URL.parse("/healthz", baseUrl);
  if (url === null) return false;
  const { get } = url.protocol === "https:" ? https : http;
  // No key is sent, and a self-signed certificate is as good a sign of life.
  const request = get(url, { agent: false, rejectUnauthorized: false }).on("error", () => {});
  try {
    const signal = AbortSignal.timeout(responseTimeoutMs);
    const [{ statusCode }] = await once(request, "response", { signal });
    return statusCode === 200 || statusCode === 503;
  } catch {
    return false;
  } finally {
    request.destroy();
  }
}
