import { chmodSync, statSync } from "node:fs";
import path from "node:path";
import Conf from "conf";
import { Failure, ioFailure } from "../../core/errors.ts";
import type { Clock } from "../../platform/io.ts";
import { ensurePrivateFolder, fileProblem, groupOtherMask } from "../../platform/private-files.ts";
import type { Lock } from "../../platform/sqlite-lock.ts";
import { noProfiles } from "./profiles.ts";
import { damagedFailure, parseProfiles, type ProfileData } from "./schema.ts";

/** The mode of the profile file (`help profiles`). */
const profileFileMode = 0o600;
/** How long to wait for the lock of another process, in ms. */
const lockTimeoutMs = 30_000;
/** Delay between two attempts to lock, in ms: doubled each time, so that many waiters leave the writer CPU time. */
const retryDelayMs = { first: 5, max: 100 };

/** The profile file. Every method throws an io Failure (exit 1) that names the file if it is damaged or can't be used. */
export interface ProfileStore {
  readonly file: string;
  /** Returns the profiles; none if there is no file, which is not created. */
  read(): Promise<ProfileData>;
  /** Reads, changes and writes under a lock between processes; returns what was written. */
  update(change: (data: ProfileData) => ProfileData): Promise<ProfileData>;
}

/** What the profile store needs. */
export interface ProfileStoreOptions {
  /** The program's config folder, which contains `config.json`; it need not exist. */
  readonly folder: string;
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  readonly random: () => number;
  /** Aborts a wait for the lock. */
  readonly signal: AbortSignal;
  warn(text: string): Promise<void>;
}

/** Opens the profiles in `config.json` of the program's config folder, which `conf` reads and writes. */
export function openProfileStore(options: ProfileStoreOptions): ProfileStore {
  const { folder, platform } = options;
  const file = path.join(folder, "config.json");
  const named = <T>(verb: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw ioFailure(
        `the profile file ${file} cannot be ${verb}: ${fileProblem(file, error)}`,
        error,
      );
    }
  };
  const open = (): Conf<ProfileData> =>
    new Conf({
      cwd: folder,
      configFileMode: profileFileMode,
      accessPropertiesByDotNotation: false,
      // conf alone takes a list, or text, for an empty file, and would replace it.
      deserialize: (text) => parseProfiles(text, file),
    });
  const read = async (): Promise<ProfileData> => {
    const found = named("read", () => checkFile(file, platform));
    if (found === undefined) return noProfiles;
    if (found.warning !== undefined) await options.warn(found.warning);
    return named("read", () => ({ ...noProfiles, ...open().store }));
  };
  return {
    file,
    read,
    async update(change) {
      // If the change throws, it does so before anything is created.
      const found = await read();
      if (change(found) === found) return found;
      const lock = await takeLock(file, options);
      try {
        const data = await read();
        const changed = change(data);
        if (changed !== data) named("written", () => (open().store = changed));
        return changed;
      } finally {
        lock.release();
      }
    },
  };
}

/**
 * Returns undefined if there is no `file`. One that others can read gets mode 0600, which the warning says. Throws if
 * it is no regular file.
 */
function checkFile(file: string, platform: NodeJS.Platform): { warning?: string } | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  // Reading a pipe or device might never end.
  if (!stats.isFile()) throw damagedFailure(file, "it is not a file");
  // Windows has no such modes; what Node reports there is meaningless.
  if (platform === "win32" || (stats.mode & groupOtherMask) === 0) return {};
  const was = `the profile file ${file} was readable by other users`;
  try {
    chmodSync(file, profileFileMode);
  } catch (error) {
    return { warning: `${was}, and its mode cannot be changed: ${fileProblem(file, error)}` };
  }
  return { warning: `${was}; its mode was changed to 600` };
}

/** Waits until no other process holds the lock, and takes it. Throws an io Failure, or the signal's reason. */
async function takeLock(file: string, options: ProfileStoreOptions): Promise<Lock> {
  const { clock, random, signal } = options;
  const { tryLock } = await import("../../platform/sqlite-lock.ts");
  const end = clock.monotonic() + lockTimeoutMs;
  for (let pause = retryDelayMs.first; ; pause = Math.min(2 * pause, retryDelayMs.max)) {
    signal.throwIfAborted();
    const lock = prepareLock(file, tryLock);
    if (lock !== undefined) return lock;
    if (clock.monotonic() >= end)
      throw ioFailure(
        `the profile file ${file} is locked by another process (waited ${lockTimeoutMs / 1000} s)`,
      );
    await clock.sleep(pause + random() * pause, signal);
  }
}

function prepareLock(
  file: string,
  tryLock: (file: string, timeout: number) => Lock | undefined,
): Lock | undefined {
  const folder = path.dirname(file);
  try {
    ensurePrivateFolder(folder);
    return tryLock(path.join(folder, "config.lock"), 0);
  } catch (error) {
    throw ioFailure(
      `the profile file ${file} cannot be locked: ${fileProblem(folder, error)}`,
      error,
      "To keep it elsewhere, set XDG_CONFIG_HOME.",
    );
  }
}
