import { accessSync, closeSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Failure, ioFailure, orIoFailure } from "../../../core/errors.ts";
import {
  fileProblem,
  openPrivateFile,
  readStart,
  resolveLinks,
} from "../../../platform/private-files.ts";
import { type Lock, sqliteBusy, sqliteCode, tryLock } from "../../../platform/sqlite-lock.ts";
import { noStore, StorageError } from "../storage.ts";
import { applicationId, schemaVersion } from "./schema.ts";

/** How long a start waits for a short command, or for a store that ends because its file was moved: ms. */
const startTimeoutMs = 2_000;

/** Locks a data file, and makes it if it is missing (mode 0600). Returns its path without links. Throws an io Failure. */
export function lockDataFile(name: string): { readonly file: string; readonly lock: Lock } {
  return orUnusable(name, () => {
    // The lock is next to the file, as its WAL is, so every name of the file must resolve to the same path.
    const file = resolveLinks(name);
    checkFile(file);
    const lockName = `${file}.lock`;
    const lock = orIoFailure(`the lock ${lockName} cannot be used`, () => tryLock(lockName));
    if (lock === undefined) throw inUse(file);
    const release = (): void => lock.release();
    return orClose(release, () => {
      const { O_RDWR, O_CREAT } = constants;
      closeSync(openPrivateFile(file, O_RDWR | O_CREAT));
      checkUnused(file);
      return { file, lock };
    });
  });
}

/** Returns the path without links of a data file, locked or not. Throws an io Failure if there is none at `name`. */
export function findDataFile(name: string): string {
  return orUnusable(name, () => {
    if (!existsSync(name)) throw noStore(path.resolve(name));
    const file = resolveLinks(name);
    if (checkFile(file) === 0) throw noStore(file);
    return file;
  });
}

/** Returns the version of the schema in `file`, 0 if there is none. Throws if it has other names, or cannot be read and written. */
function checkFile(file: string): number {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() === false) throw new Error("it is not a regular file");
  const isMounted = isMountPoint(file);
  if (isMounted || (stats?.nlink ?? 0) > 1)
    throw ioFailure(
      `the data file ${file} ${isMounted ? "is a mount point" : "has several names (hard links)"}`,
      undefined,
      "Its -wal file is next to one of its names only. Mount or link its directory instead.",
    );
  const others = [".lock", "-wal", "-shm"].map((ending) => file + ending);
  for (const each of [path.dirname(file), file, ...others])
    if (existsSync(each)) accessSync(each, constants.R_OK | constants.W_OK);
  return stats?.size ? readVersion(file) : 0;
}

/** Returns whether `file` itself is mounted (proc_pid_mountinfo(5)); false where mounts are not known. */
function isMountPoint(file: string): boolean {
  const mounts = "/proc/self/mountinfo";
  const lines = existsSync(mounts) ? readFileSync(mounts, "utf8").split("\n") : [];
  return lines.some((line) => withoutOctal(line.split(" ")[4] ?? "") === file);
}

function withoutOctal(text: string): string {
  return text.replaceAll(/\\(\d{3})/g, (_all, octal) => String.fromCodePoint(Number(`0o${octal}`)));
}

const headerBytes = 100;

/**
 * Returns the version in the header of `file` (https://sqlite.org/fileformat.html#the_database_header). Throws an io Failure
 * if it is another program's, or of another version. Read without SQLite, which would recover, so change, a foreign file.
 */
function readVersion(file: string): number {
  const header = Buffer.concat([readStart(file, headerBytes)], headerBytes);
  const isSqlite = header.toString("latin1", 0, 16) === "SQLite format 3\0";
  if (!isSqlite || header.readInt32BE(68) !== applicationId)
    throw ioFailure(`${file} is not a pets data file; it was not modified`);
  const version = header.readInt32BE(60);
  if (version === schemaVersion || version === 0) return version;
  throw ioFailure(
    `the data file ${file} was created by ${version > schemaVersion ? "a newer" : "an older"} pets: this pets supports schema ${schemaVersion}, and the file has ${version}`,
  );
}

/**
 * Throws an io Failure if a process has the file open under another name, such as the one before a move: SQLite locks the
 * inode. A process that has it open under this name has its WAL there, and is no store: a store would hold the lock.
 */
function checkUnused(file: string): void {
  if (existsSync(`${file}-wal`)) return;
  using database = new DatabaseSync(file, { timeout: startTimeoutMs });
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (error) {
    throw sqliteCode(error) === sqliteBusy ? inUse(file) : error;
  }
}

function inUse(file: string): Failure {
  return ioFailure(
    `the data file ${file} is in use by another store`,
    undefined,
    "Stop that store, or use another file with `--data`, or `--memory`.",
  );
}

/** Returns what `work` returns. Throws an io Failure in place of the system's error, which names what cannot be used. */
function orUnusable<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) throw error;
    const file = path.resolve(name);
    const at = error instanceof Error && "path" in error ? String(error.path) : file;
    const reason = `${at === file ? "" : `${at}: `}${fileProblem(at, error)}`;
    throw ioFailure(`the data file ${file} cannot be used: ${reason}`, error);
  }
}

/** Returns what `work` returns; if it throws, calls `close`. */
export function orClose<T>(close: () => void, work: () => T): T {
  try {
    return work();
  } catch (error) {
    close();
    throw error;
  }
}

/** Watches that an open data file and its WAL stay where they are: what is written to a moved or removed one is lost. */
export function watchDataFile(file: string) {
  const { promise: lost, resolve } = Promise.withResolvers<Failure>();
  const wal = `${file}-wal`;
  const [inode, walInode] = [inodeOf(file), inodeOf(wal)];
  // Some file systems make up inodes: there only a file that is missing is known to be lost.
  const isStable = inodeOf(file) === inode && inodeOf(wal) === walInode;
  const isMissing = (name: string, known: string | undefined): boolean => {
    const current = inodeOf(name, known);
    return isStable ? current !== known : current === undefined;
  };
  const message = `the data file ${file} was moved, removed or emptied while the store was running`;
  const error = new StorageError(message, "lost", undefined);
  let isLost = false;
  /** Throws a StorageError once the file is gone, or after a write the WAL. */
  const check = (isWritten: boolean): void => {
    isLost ||= isMissing(file, inode) || (isWritten && isMissing(wal, walInode));
    if (!isLost) return;
    resolve(ioFailure(message));
    throw error;
  };
  return { check, lost };
}

/** Returns the inode of `name`; undefined if there is none, or `known` if it cannot be looked at. */
function inodeOf(name: string, known?: string): string | undefined {
  try {
    const stats = statSync(name, { bigint: true, throwIfNoEntry: false });
    // A file that was emptied is as good as removed; a WAL is empty when all of it is in the file.
    const isEmptied = stats?.size === 0n && !name.endsWith("-wal");
    return stats && !isEmptied ? `${stats.dev}:${stats.ino}` : undefined;
  } catch {
    return known;
  }
}
