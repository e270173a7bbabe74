import path from "node:path";
import { type Failure, ioFailure, reasonOf } from "../errors.ts";
import type { Lock } from "../files/lock.ts";
import { ensurePrivateFolder } from "../files/private.ts";
import type { Clock } from "../io.ts";
import { type ProfileFileAccess, readProfileFile } from "./profile-file.ts";
import type { ProfileData, ProfileStore } from "./types.ts";

/** How long to wait for another process that writes the file, and between two looks, in ms. */
const patienceMs = 10_000;
const pauseMs = { least: 5, random: 20 };

/** What the profile store needs of the world. */
export interface ProfileStoreOptions extends ProfileFileAccess {
  /** The program's config folder, which holds `config.json`; it need not exist. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: () => number;
  /** Ends the wait for another process that writes. */
  readonly signal: AbortSignal;
}

/**
 * The profiles in the file `config.json` of the program's config folder. Nothing is read or made
 * before a method is called; reading makes nothing.
 */
export function openProfileStore(options: ProfileStoreOptions): ProfileStore {
  const file = path.join(options.folder, "config.json");
  const read = (): Promise<ProfileData> => readProfileFile(file, options);
  return {
    file,
    read,
    async update(change) {
      // What the change refuses, it refuses before anything is made.
      const found = await read();
      if (change(found) === found) return found;
      const lock = await takeLock(file, options);
      try {
        return await rewrite(file, await read(), change);
      } finally {
        lock.release();
      }
    },
  };
}

async function rewrite(
  file: string,
  found: ProfileData,
  change: (data: ProfileData) => ProfileData,
): Promise<ProfileData> {
  const changed = change(found);
  if (changed === found) return found;
  const { writeProfileFile } = await import("./profile-write.ts");
  await writeProfileFile(file, changed);
  return changed;
}

/** The lock beside `file`, as soon as no other process holds it. Throws an io Failure, or the signal's reason. */
async function takeLock(file: string, options: ProfileStoreOptions): Promise<Lock> {
  const { folder, clock, random, signal } = options;
  const { tryLock } = await import("../files/lock.ts");
  const end = clock.monotonic() + patienceMs;
  for (;;) {
    signal.throwIfAborted();
    const lock = preparedLock(file, () => {
      ensurePrivateFolder(folder);
      return tryLock(path.join(folder, "config.lock"), 0);
    });
    if (lock !== undefined) return lock;
    if (clock.monotonic() >= end) throw busyFailure(file);
    await clock.sleep(pauseMs.least + random() * pauseMs.random, signal);
  }
}

function preparedLock(file: string, take: () => Lock | undefined): Lock | undefined {
  try {
    return take();
  } catch (error) {
    throw ioFailure(`the profile file ${file} can't be locked: ${reasonOf(error)}`, error);
  }
}

function busyFailure(file: string): Failure {
  const waited = `${patienceMs / 1000} s`;
  return ioFailure(`the profile file ${file} was being written by another process for ${waited}`);
}
