import { chmodSync, statSync } from "node:fs";
import path from "node:path";
import Conf from "conf";
import { Failure, ioFailure, isSystemError } from "../../core/errors.ts";
import type { Clock } from "../../platform/io.ts";
import { claimOncePerDay } from "../../platform/once-a-day.ts";
import { ensurePrivateFolder, fileProblem, groupOtherMask } from "../../platform/private-files.ts";
import type { Lock } from "../../platform/sqlite-lock.ts";
import { profileFile } from "./profile-file.ts";
import { noProfiles } from "./profiles.ts";
import { damagedFailure, parseProfiles, type ProfileData } from "./schema.ts";

const lockTimeoutMs = 30_000;
// Doubled each time, so that many waiters leave the writer CPU time.
const retryDelayMs = { first: 5, max: 100 };

export type ProfileStore = ReturnType<typeof openProfileStore>;

export interface ProfileStoreOptions {
  /** The program's config folder, which contains `config.json`; it need not exist. */
  readonly folder: string;
  /** Where it is recorded what is told once a day; without it that is not told. */
  readonly notices: string | undefined;
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
  const { folder, platform, clock, random, signal } = options;
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
        await makePrivate(options, `the profile file ${file} was readable`, [file, 0o600]);
      // Who can write there can put another file in place of this one.
      if ((statSync(folder).mode & groupOtherMask & 0o222) !== 0)
        await makePrivate(options, `the directory ${folder} was writable`, [folder, 0o700]);
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

/** Gives `place`, which other users could use, the mode `mode`, and warns about it: once a day if it keeps its mode. */
async function makePrivate(
  { notices, clock, warn }: ProfileStoreOptions,
  problem: string,
  [place, mode]: readonly [string, number],
): Promise<void> {
  const was = `${problem} by other users`;
  try {
    chmodSync(place, mode);
    // Some file systems ignore it.
    if ((statSync(place).mode & groupOtherMask) !== 0) throw new Error("its file system has none");
  } catch (error) {
    const text = `${was}, and its mode cannot be changed: ${fileProblem(place, error)}`;
    // What is mounted read-only is meant to be as it is.
    const isMeant = notices === undefined || isSystemError(error, "EROFS");
    return isMeant || !claimOncePerDay(notices, text, clock.now(), false) ? undefined : warn(text);
  }
  await warn(`${was}; its mode was changed to ${mode.toString(8)}`);
}
