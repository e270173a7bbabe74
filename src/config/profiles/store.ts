import path from "node:path";
import { type Failure, ioFailure, errorMessage } from "../../core/errors.ts";
import type { Clock } from "../../platform/io.ts";
import { ensurePrivateFolder } from "../../platform/private-files.ts";
import type { Lock } from "../../platform/sqlite-lock.ts";
import { loadProfileWriter, type ProfileFileAccess, readProfileFile } from "./file.ts";
import type { ProfileData } from "./profiles.ts";

/** How long to wait for the lock of another process, in ms. */
const lockTimeoutMs = 30_000;
/** Delay between two attempts to lock, in ms: doubled each time, so that many waiters leave the writer CPU time. */
const retryDelayMs = { first: 5, max: 100 };

/** The profile file. Every method throws an io Failure (exit 1) that names the file if it is damaged or can't be used. */
export interface ProfileStore {
  readonly file: string;
  read(): Promise<ProfileData>;
  /** Reads, changes and writes under a lock between processes; returns what was written. */
  update(change: (data: ProfileData) => ProfileData): Promise<ProfileData>;
}

/** What the profile store needs. */
export interface ProfileStoreOptions extends ProfileFileAccess {
  /** The program's config folder, which contains `config.json`; it need not exist. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: () => number;
  /** Aborts a wait for the lock. */
  readonly signal: AbortSignal;
}

/**
 * Opens the profiles in the file `config.json` of the program's config folder. Nothing is read or
 * created before a method is called; reading creates nothing.
 */
export function openProfileStore(options: ProfileStoreOptions): ProfileStore {
  const file = path.join(options.folder, "config.json");
  const read = (): Promise<ProfileData> => readProfileFile(file, options);
  return {
    file,
    read,
    async update(change) {
      // If the change throws, it does so before anything is created.
      const found = await read();
      if (change(found) === found) return found;
      // Loaded before the lock is taken, since others wait for that.
      const write = await loadProfileWriter();
      const lock = await takeLock(file, options);
      try {
        const data = await read();
        const changed = change(data);
        if (changed !== data) write(file, changed);
        return changed;
      } finally {
        lock.release();
      }
    },
  };
}

/** Waits until no other process holds the lock, and takes it. Throws an io Failure, or the signal's reason. */
async function takeLock(file: string, options: ProfileStoreOptions): Promise<Lock> {
  const { folder, clock, random, signal } = options;
  const { tryLock } = await import("../../platform/sqlite-lock.ts");
  const end = clock.monotonic() + lockTimeoutMs;
  for (let pause = retryDelayMs.first; ; pause = Math.min(2 * pause, retryDelayMs.max)) {
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
    throw ioFailure(
      `the profile file ${file} cannot be locked: ${errorMessage(error)}`,
      error,
      "To keep it elsewhere, set XDG_CONFIG_HOME.",
    );
  }
}

function busyFailure(file: string): Failure {
  const waited = `${lockTimeoutMs / 1000} s`;
  return ioFailure(`the profile file ${file} is locked by another process (waited ${waited})`);
}
