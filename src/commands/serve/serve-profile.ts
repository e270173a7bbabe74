import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import { chooseForStore } from "../../config/profiles/choose.ts";
import {
  findProfile,
  noProfiles,
  type Profile,
  type ProfileData,
} from "../../config/profiles/profiles.ts";
import {
  describeChange,
  isSameStore,
  ownerProblem,
  servedKeys,
  withoutMemory,
  withStore,
} from "../../config/profiles/served.ts";
import type { ProfileStore } from "../../config/profiles/store.ts";
import { Failure, ioFailure, usageFailure } from "../../core/errors.ts";
import type { Context } from "../context.ts";
import { defaultPort, type ServeSettings } from "./settings.ts";

/** The profile of a store that starts. */
export type ServeProfile = Awaited<ReturnType<typeof openServeProfile>>;

/** Chooses the profile of a store that starts at `port`, once. Throws a usage Failure if it may not have the wanted one. */
export async function openServeProfile(
  context: Context,
  { file, profile: isWanted = true }: Pick<ServeSettings, "file" | "profile">,
  port: number,
) {
  const { profile, given } = context.settings;
  const asked = given.profile?.from === "--profile" ? profile : undefined;
  const inMemory = file === undefined;
  const profiles = await context.profiles();
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
  const read = (): Promise<ProfileData> => withoutLeftovers(profiles, port);
  const found = await (asked === undefined ? orWarn("no profile was saved", read) : read());
  const known = found ?? noProfiles;
  const name = asked ?? chooseForStore(port, defaultPort, inMemory, known);
  const problem = ownerProblem(known, name, inMemory);
  const advice = `Use another name${asked === undefined ? " with `--profile`" : ""}, or remove it first: \`pets profile remove ${name}\`.`;
  if (asked !== undefined && problem !== undefined)
    throw usageFailure(`--profile: ${problem}`, advice);
  if (isWanted) await checkUnused(known, name, port);
  if (isWanted && problem !== undefined)
    await context.warn(`no profile was saved: ${problem}. ${advice}`);
  let saved: Profile | undefined;
  return {
    ...(inMemory ? { ownKey: undefined, knownKeys: [] } : servedKeys(known, name)),
    /** Saves base URL and first key, and prints what changed. Returns the profile's name if it could. */
    save: async (store: Pick<Profile, "baseUrl" | "apiKey">): Promise<string | undefined> => {
      if (!isWanted || problem !== undefined || found === undefined) return undefined;
      const made: Profile = { ...store, madeByServe: inMemory ? "memory" : true };
      return orWarn("no profile was saved", async () => {
        const before = await profiles.read();
        const after = await profiles.update((data) => {
          if (isSameStore(findProfile(found, name), findProfile(data, name)))
            return withStore(data, name, made);
          throw ioFailure(`profile ${name} was changed meanwhile`);
        });
        saved = made;
        const change = describeChange(before, after, name);
        if (change !== undefined) await context.note(change);
        return name;
      });
    },
    /** Removes what `save` made of a store in memory. */
    remove: async (): Promise<void> => {
      if (!inMemory || saved === undefined) return;
      const isOwn = (each: Profile) => isSameStore(each, saved);
      await orWarn("the profile was not removed", () =>
        profiles.update((data) => withoutMemory(data, isOwn)),
      );
    },
  };
}

/** Throws a usage Failure if another store that is running has the profile called `name`. */
async function checkUnused(data: ProfileData, name: string, port: number): Promise<void> {
  const { baseUrl = "", madeByServe } = findProfile(data, name) ?? {};
  if (!madeByServe || !(await isRunningElsewhere(baseUrl, port))) return;
  throw usageFailure(
    `profile ${name} belongs to the store that is running at ${baseUrl}`,
    "Use another name with `--profile`, or `--no-profile`.",
  );
}

/** Returns whether a store is running at `baseUrl`, other than the one that starts at `port`. */
async function isRunningElsewhere(baseUrl: string, port: number): Promise<boolean> {
  return URL.parse(baseUrl)?.port !== String(port) && (await isStoreRunning(baseUrl));
}

/** Removes the profiles of stores in memory that no longer run, and returns the others. */
async function withoutLeftovers(profiles: ProfileStore, port: number): Promise<ProfileData> {
  const found = await profiles.read();
  const urls = Object.values(found.profiles)
    .filter(({ madeByServe }) => madeByServe === "memory")
    .map(({ baseUrl }) => baseUrl);
  const running = await Promise.all(urls.map((url) => isRunningElsewhere(url, port)));
  const stopped = new Set(urls.filter((_url, at) => running[at] === false));
  if (stopped.size === 0) return found;
  return profiles.update((data) => withoutMemory(data, ({ baseUrl }) => stopped.has(baseUrl)));
}

const responseTimeoutMs = 1000;

/** Returns whether a store responds at `baseUrl`, whether it can use its data or not; any other server is none. */
export async function isStoreRunning(baseUrl: string): Promise<boolean> {
  const url = URL.parse("/healthz", baseUrl);
  if (url === null) return false;
  const { get } = url.protocol === "https:" ? https : http;
  // No key is sent, and a self-signed certificate is as good a sign of life.
  const request = get(url, { agent: false, rejectUnauthorized: false }).on("error", () => {});
  try {
    const signal = AbortSignal.timeout(responseTimeoutMs);
    const [{ headers }] = await once(request, "response", { signal });
    return "x-pets-store" in headers;
  } catch {
    return false;
  } finally {
    request.destroy();
  }
}
