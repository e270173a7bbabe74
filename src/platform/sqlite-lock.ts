import { closeSync, existsSync, openSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** A lock that is held until it is released or the process ends. */
export interface Lock {
  release(): void;
}

// The garbage collector closes a database that nothing refers to, which would release its lock.
const held = new Set<DatabaseSync>();

// SQLITE_BUSY, and the byte that is the primary code (https://sqlite.org/rescode.html).
export const sqliteBusy = 5;
const primaryCode = 0xff;

/** The maximum number of attempts: on a file system with unstable inodes, the file seems to be removed every time. */
const maxAttempts = 5;

/**
 * Takes the lock of `file`; undefined if it is held. SQLite has the kernel keep it, so a dead process holds none; it
 * retries for `timeout` ms: with 0, several that try at once may all fail. Throws if the file can't be made or used.
 */
export function tryLock(file: string, timeout = 100): Lock | undefined {
  for (let attempt = 1; ; attempt += 1) {
    // Closing one that is there would drop every POSIX lock of this process on it, those of SQLite included.
    if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
    const opened = inodeOf(file);
    const database = new DatabaseSync(file, { timeout });
    if (!begin(database)) {
      // Others may only have been looking whether it is locked.
      if (timeout > 0 && attempt < maxAttempts && !isLocked(file)) continue;
      return undefined;
    }
    const isThere = opened !== undefined && inodeOf(file) === opened;
    if (isThere || attempt === maxAttempts) {
      held.add(database);
      return {
        release() {
          held.delete(database);
          database.close();
        },
      };
    }
    // The last holder removed the file: other processes lock the one that is there now.
    database.close();
  }
}

/** Returns whether another holds the lock of `file`, without taking it: looks do not exclude each other. */
export function isLocked(file: string): boolean {
  try {
    using database = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    database.prepare("SELECT 1 FROM sqlite_schema").all();
    return false;
  } catch (error) {
    // Any other problem: it was removed, or belongs to another user.
    return sqliteCode(error) === sqliteBusy;
  }
}

/** Returns whether the lock was free; else closes the database. */
function begin(database: DatabaseSync): boolean {
  try {
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    database.close();
    if (sqliteCode(error) === sqliteBusy) return false;
    throw error;
  }
}

function inodeOf(file: string): bigint | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
}

/** Returns the primary result code of an error that SQLite threw; undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return Number(error.errcode) & primaryCode;
}
