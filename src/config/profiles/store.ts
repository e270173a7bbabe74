import { chmodSync, statSync } from "node:fs";
import path from "node:path";
import Conf from "conf";
import { Failure, ioFailure } from "../../core/errors.ts";
import type { Clock } from "../../platform/io.ts";
import { ensurePrivateFolder, fileProblem, groupOtherMask } from "../../platform/private-files.ts";
import type { Lock } from "../../platform/sqlite-lock.ts";
import { noProfiles } from "./profiles.ts";
import { damagedFailure, parseProfiles, type ProfileData } from "./schema.ts";
import { profileFile } from "./stored-keys.ts";

const lockTimeoutMs = 30_000;
// Doubled each time, so that many waiters leave the writer CPU time.
const retryDelayMs = { first: 5, max: 100 };

export type ProfileStore = ReturnType<typeof openProfileStore>;

export interface ProfileStoreOptions {
  /** The program's config folder, which contains `config.json`; it need not exist. */
  readonly folder: string;
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly warn: (text: string) => Promise<void>;
}

/**
 * Opens the profiles in `config.json` of the program's config folder, which `conf` reads and writes. Both throw an io
 * Failure (exit 1) that names the file if it is damaged or can't be used.
 */
export function openProfileStore(options: ProfileStoreOptions) {
  const { folder, platform, clock, random, signal, warn } = options;
  const file = profileFile(folder);
  const named = <T>(verb: string, place: string, work: () => T, ...hints: string[]): T => {
    try {
      return work();
    } catch (error) {
      if (error instanceof Failure) throw error;
      const problem = fileProblem(place, error);
      throw ioFailure(`the profile file ${file} cannot be ${verb}: ${problem}`, error, ...hints);
    }
  };
  const open = (): Conf<ProfileData> =>
    new Conf({
      cwd: folder,
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      // conf alone takes a list, or text, for an empty file, and would replace it.
      deserialize: (text) => parseProfiles(text, file),
    });
  const read = async (): Promise<ProfileData> => {
    const stats = named("read", file, () => statSync(file, { throwIfNoEntry: false }));
    if (stats === undefined) return noProfiles;
    // Reading a pipe or device might never end.
    if (!stats.isFile()) throw damagedFailure(file, "it is not a file");
    // Windows has no such modes; what Node reports there is meaningless.
    if (platform !== "win32") {
      if ((stats.mode & groupOtherMask) !== 0)
        await warn(makePrivate(`the profile file ${file} was readable`, file, 0o600));
      // Who can write there can put another file in place of this one.
      if ((statSync(folder).mode & groupOtherMask & 0o222) !== 0)
        await warn(makePrivate(`the directory ${folder} was writable`, folder, 0o700));
    }
    return named("read", file, () => ({ ...noProfiles, ...open().store }));
  };
  const takeLock = async (): Promise<Lock> => {
    const { tryLock } = await import("../../platform/sqlite-lock.ts");
    const take = (): Lock | undefined => {
      ensurePrivateFolder(folder);
      return tryLock(path.join(folder, "config.lock"), 0);
    };
    const end = clock.monotonic() + lockTimeoutMs;
    for (let pause = retryDelayMs.first; ; pause = Math.min(2 * pause, retryDelayMs.max)) {
      signal.throwIfAborted();
      const lock = named("locked", folder, take, "To keep it elsewhere, set XDG_CONFIG_HOME.");
      if (lock !== undefined) return lock;
      if (clock.monotonic() >= end)
        throw ioFailure(`the profile file ${file} is locked by another process`);
      await clock.sleep(pause + random() * pause, signal);
    }
  };
  return {
    file,
    /** Returns the profiles; none if there is no file, which is not created. */
    read,
    /** Reads, changes and writes under a lock between processes; returns what was written. */
    async update(change: (data: ProfileData) => ProfileData): Promise<ProfileData> {
      // If the change throws, it does so before anything is created.
      const found = await read();
      if (change(found) === found) return found;
      const lock = await takeLock();
      try {
        const data = await read();
        const changed = change(data);
        if (changed !== data) named("written", file, () => (open().store = changed));
        return changed;
      } finally {
        lock.release();
      }
    },
  };
}

/** Gives `place`, which other users could use, the mode `mode`; returns the warning about it. */
function makePrivate(problem: string, place: string, mode: number): string {
  const was = `${problem} by other users`;
  try {
    chmodSync(place, mode);
  } catch (error) {
    return `${was}, and its mode cannot be changed: ${fileProblem(place, error)}`;
  }
  return `${was}; its mode was changed to ${mode.toString(8)}`;
}
