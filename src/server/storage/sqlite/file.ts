import { chmodSync, closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import path from "node:path";
import {
  ensurePrivateFile,
  groupOtherMask,
  resolveLinks,
} from "../../../platform/private-files.ts";
import { errorMessage, ioFailure, isSystemError } from "../../../core/errors.ts";
import { type Lock, sqliteCode, tryLock } from "../../../platform/sqlite-lock.ts";
import { noStore } from "../storage.ts";
import { applicationId, schemaVersion } from "./schema.ts";

/** A data file that this process alone may open, until the lock is released. */
export interface LockedFile {
  /** Its absolute path, without symbolic links. */
  readonly file: string;
  readonly lock: Lock;
}

/**
 * Takes the data file at `name`, and makes it (mode 0600) where there is none. Throws an io
 * Failure that names it, and leaves it as it is, when another store holds it, when it is no
 * store's, and when a newer program made it.
 */
export function lockDataFile(name: string): LockedFile {
  const file = resolveFile(name);
  checkFile(file);
  const lock = lockFile(file);
  try {
    ensurePrivateFile(file);
    const { mode } = statSync(file);
    if ((mode & groupOtherMask) !== 0) chmodSync(file, mode & 0o7700);
    return { file, lock };
  } catch (error) {
    lock.release();
    throw dataFileFailure(file, error);
  }
}

/**
 * The absolute path, without symbolic links, of the data file that is at `name`, whoever holds it.
 * Throws an io Failure that names it where there is none, or it is no store's.
 */
export function findDataFile(name: string): string {
  if (!existsSync(name)) throw noStore(path.resolve(name));
  const file = resolveFile(name);
  if (!checkFile(file)) throw noStore(file);
  return file;
}

/** `error`, or where it is one of SQLite's, the io Failure that names the data file `file`. */
export function withFileName(file: string, error: unknown): unknown {
  return sqliteCode(error) === undefined ? error : dataFileFailure(file, error);
}

// The lock stands beside the file, so every name of the file has to lead to the same place.
function resolveFile(name: string): string {
  try {
    return resolveLinks(name);
  } catch (error) {
    throw dataFileFailure(name, error);
  }
}

function lockFile(file: string): Lock {
  let lock: Lock | undefined;
  try {
    lock = tryLock(`${file}.lock`);
  } catch (error) {
    throw dataFileFailure(
      file,
      new Error(`its lock ${file}.lock: ${errorMessage(error)}`, { cause: error }),
    );
  }
  if (lock !== undefined) return lock;
  throw ioFailure(
    `the data file ${file} is in use by another store`,
    undefined,
    "stop that one, or give another file with --data, or --memory",
  );
}

// https://sqlite.org/fileformat.html#the_database_header
const headerLength = 100;
const sqliteMagic = "SQLite format 3\0";
const userVersionAt = 60;
const applicationIdAt = 68;

/**
 * Whether `file` is a store's; false where it is missing or empty. Reads its header alone. Throws an io
 * Failure that names it where it is something else, or a newer program made it.
 */
function checkFile(file: string): boolean {
  const header = readFileHeader(file);
  if (header === undefined || header.length === 0) return false;
  const isSqlite =
    header.length === headerLength && header.toString("latin1", 0, 16) === sqliteMagic;
  if (!isSqlite || header.readUInt32BE(applicationIdAt) !== applicationId)
    throw ioFailure(`${file} is no store's data file, and was left as it is`);
  const version = header.readUInt32BE(userVersionAt);
  if (version > schemaVersion) throw fileTooNew(file, version);
  return true;
}

function readFileHeader(file: string): Buffer | undefined {
  try {
    const about = statSync(file);
    if (!about.isFile()) throw new Error("it is not a regular file");
    // Lock and write-ahead log stand beside one of its names alone (https://sqlite.org/howtocorrupt.html, 2.5).
    if (about.nlink > 1)
      throw new Error("it has hard links, so that two stores could change it at once");
    const descriptor = openSync(file, "r");
    try {
      const bytes = Buffer.alloc(headerLength);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, headerLength, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isSystemError(error, "ENOENT")) return undefined;
    throw dataFileFailure(file, error);
  }
}

/** The io Failure of a data file that the system, or SQLite, can't use. */
function dataFileFailure(file: string, error: unknown): Error {
  const name = path.resolve(file);
  return ioFailure(`the data file ${name} can't be used: ${errorMessage(error)}`, error);
}

/** The io Failure of a data file whose schema is a later one than this program knows. */
export function fileTooNew(file: string, version: number): Error {
  const known = `this one knows schemas up to ${schemaVersion}, and the file has ${version}`;
  return ioFailure(`the data file ${file} was made by a newer pets: ${known}`);
}
