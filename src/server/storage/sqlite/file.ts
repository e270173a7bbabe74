import { chmodSync, existsSync, statSync } from "node:fs";
import path from "node:path";
import { ioFailure, errorMessage } from "../../../core/errors.ts";
import { resolveLinks } from "../../../platform/links.ts";
import { type Lock, tryLock } from "../../../platform/sqlite-lock.ts";
import { ensurePrivateFile, groupOtherMask } from "../../../platform/private-files.ts";
import { sqliteCode } from "../../../platform/sqlite-code.ts";
import { noStore } from "../no-store.ts";
import { checkFile, dataFileFailure } from "./sqlite-header.ts";

/** A data file that this process alone may open, until the lock is released. */
export interface HeldFile {
  /** Its absolute path, without symbolic links. */
  readonly file: string;
  readonly lock: Lock;
}

/**
 * Takes the data file at `name`, and makes it (mode 0600) where there is none. Throws an io
 * Failure that names it, and leaves it as it is, when another store holds it, when it is no
 * store's, and when a newer program made it.
 */
export function lockDataFile(name: string): HeldFile {
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
