import { chmodSync, closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import path from "node:path";
import { errorMessage, ioFailure, orIoFailure } from "../../../core/errors.ts";
import {
  ensurePrivateFile,
  groupOtherMask,
  resolveLinks,
} from "../../../platform/private-files.ts";
import { type Lock, sqliteCode, tryLock } from "../../../platform/sqlite-lock.ts";
import { noStore } from "../storage.ts";
import { applicationId } from "./schema.ts";

/**
 * Locks the data file at `name`, and creates it (mode 0600) if it does not exist. Returns its absolute path,
 * without symbolic links, and the lock. Throws an io Failure that names it, and leaves it unchanged, if another store
 * holds it, or if it is not a data file.
 */
export function lockDataFile(name: string) {
  return naming(name, () => {
    // The lock is next to the file, so every name of the file must resolve to the same path.
    const file = resolveLinks(name);
    checkFile(file);
    const lock = lockFile(file);
    try {
      ensurePrivateFile(file);
      const { mode } = statSync(file);
      if ((mode & groupOtherMask) !== 0) chmodSync(file, mode & 0o7700);
      return { file, lock };
    } catch (error) {
      lock.release();
      throw error;
    }
  });
}

/**
 * Returns the absolute path, without symbolic links, of the data file at `name`, locked or not.
 * Throws an io Failure that names it if there is none, or it is not a data file.
 */
export function findDataFile(name: string): string {
  return naming(name, () => {
    if (!existsSync(name)) throw noStore(path.resolve(name));
    const file = resolveLinks(name);
    if (!checkFile(file)) throw noStore(file);
    return file;
  });
}

/** Returns what `step` returns. Throws an io Failure that names the data file at `name`. */
function naming<T>(name: string, step: () => T): T {
  return orIoFailure(unusable(name), step);
}

/** Returns `error`, or if it is SQLite's, the io Failure that names the data file `file`. */
export function withFileName(file: string, error: unknown): unknown {
  if (sqliteCode(error) === undefined) return error;
  return ioFailure(`${unusable(file)}: ${errorMessage(error)}`, error);
}

function lockFile(file: string): Lock {
  const lockName = `${file}.lock`;
  let lock: Lock | undefined;
  try {
    lock = tryLock(lockName);
  } catch (error) {
    throw new Error(`its lock ${lockName}: ${errorMessage(error)}`, { cause: error });
  }
  if (lock !== undefined) return lock;
  throw ioFailure(
    `the data file ${file} is in use by another store`,
    undefined,
    "stop that store, or use another file with --data, or --memory",
  );
}

// https://sqlite.org/fileformat.html#the_database_header
const headerLength = 100;
const sqliteMagic = "SQLite format 3\0";
const applicationIdAt = 68;

/**
 * Returns whether `file` is a data file; false if it is missing or empty. Reads only its header. Throws an
 * io Failure that names it if it is something else.
 */
function checkFile(file: string): boolean {
  const header = readFileHeader(file);
  if (header.length === 0) return false;
  const isSqlite =
    header.length === headerLength && header.toString("latin1", 0, 16) === sqliteMagic;
  if (isSqlite && header.readUInt32BE(applicationIdAt) === applicationId) return true;
  throw ioFailure(`${file} is not a pets data file; it was not modified`);
}

function readFileHeader(file: string): Buffer {
  const header = Buffer.alloc(headerLength);
  const about = statSync(file, { throwIfNoEntry: false });
  if (about === undefined) return header.subarray(0, 0);
  if (!about.isFile()) throw new Error("it is not a regular file");
  // Lock and write-ahead log are next to only one of its names
  // (https://sqlite.org/howtocorrupt.html, 2.5).
  if (about.nlink > 1)
    throw new Error("it has hard links, so that two stores could change it at once");
  const descriptor = openSync(file, "r");
  try {
    return header.subarray(0, readSync(descriptor, header, 0, headerLength, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** Says that the system, or SQLite, can't use a data file. */
function unusable(file: string): string {
  return `the data file ${path.resolve(file)} cannot be used`;
}
