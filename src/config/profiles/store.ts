import path from "node:path";
import { type Failure, ioFailure, errorMessage } from "../../core/errors.ts";
import type { Lock } from "../../platform/sqlite-lock.ts";
import { ensurePrivateFolder } from "../../platform/private-files.ts";
import type { Clock } from "../../platform/io.ts";
import { type ProfileFileAccess, readProfileFile } from "./file.ts";
import type { ProfileData, ProfileStore } from "../types.ts";

/** How long to wait for another process that writes the file, in ms. */
const lockTimeoutMs = 30_000;
/** Between two looks, in ms: longer each time, as many who look often leave the writer no processor. */
const retryDelayMs = { first: 5, most: 100 };

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
      // Loaded before the lock is taken: others wait for it.
      const { writeProfileFile } = await import("./file.ts");
      const lock = await takeLock(file, options);
      try {
        const data = await read();
        const changed = change(data);
        if (changed !== data) await writeProfileFile(file, changed);
        return changed;
      } finally {
        lock.release();
      }
    },
  };
}

/** The lock beside `file`, as soon as no other process holds it. Throws an io Failure, or the signal's reason. */
async function takeLock(file: string, options: ProfileStoreOptions): Promise<Lock> {
  const { folder, clock, random, signal } = options;
  const { tryLock } = await import("../../platform/sqlite-lock.ts");
  const end = clock.monotonic() + lockTimeoutMs;
  for (let pause = retryDelayMs.first; ; pause = Math.min(2 * pause, retryDelayMs.most)) {
    signal.throwIfAborted();
    const lock = preparedLock(file, () => {
      ensurePrivateFolder(folder);
      return tryLock(path.join(folder, "config.lock"), 0);
    });
    if (lock !== undefined) return lock;
    if (clock.monotonic() >= end) throw busyFailure(file);
    await clock.sleep(pause + random() * pause, signal);
  }
}

function preparedLock(file: string, take: () => Lock | undefined): Lock | undefined {
  try {
    return take();
  } catch (error) {
    throw ioFailure(`the profile file ${file} can't be locked: ${errorMessage(error)}`, error);
  }
}

function busyFailure(file: string): Failure {
  const waited = `${lockTimeoutMs / 1000} s`;
  return ioFailure(`the profile file ${file} was being written by another process for ${waited}`);
}
