import { DatabaseSync } from "node:sqlite";
import { ensurePrivateFile } from "./private-files.ts";

/** A lock that is held until released, or until the process is gone. */
export interface Lock {
  release(): void;
}

// A database that nothing refers to is closed when memory is collected, and its lock is gone.
const held = new Set<DatabaseSync>();

// SQLITE_BUSY (https://sqlite.org/rescode.html).
const sqliteBusy = 5;

const busyTimeoutMs = 100;

/**
 * Takes the lock that `file` stands for, or answers undefined when another process, or this one,
 * holds it. The kernel keeps it, through SQLite, so a dead process holds nothing. The file stays.
 * Those that ask at the same moment stand in each other's way: for `timeout` ms SQLite tries again;
 * with 0, for callers who do so themselves, all of them may be refused. Throws what the system or
 * SQLite says when the file can't be made or used.
 */
export function tryLock(file: string, timeout = busyTimeoutMs): Lock | undefined {
  ensurePrivateFile(file);
  const database = new DatabaseSync(file, { timeout });
  try {
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (sqliteCode(error) === sqliteBusy) return undefined;
    throw error;
  }
  held.add(database);
  return { release: () => release(database) };
}

function release(database: DatabaseSync): void {
  held.delete(database);
  database.close();
}

// The low byte is the primary code (https://sqlite.org/rescode.html).
const primaryCode = 0xff;

/** The primary result code of an error that SQLite threw; undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return Number(error.errcode) & primaryCode;
}
