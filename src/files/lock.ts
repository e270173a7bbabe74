import { DatabaseSync } from "node:sqlite";
import { ensurePrivateFile } from "./private.ts";

/** A lock that is held until released, or until the process is gone. */
export interface Lock {
  release(): void;
}

// SQLite result codes: the low byte is the primary code, here SQLITE_BUSY.
const primaryCode = 0xff;
const sqliteBusy = 5;

/**
 * Takes the lock that `file` stands for, or answers undefined when another process, or this one,
 * holds it. The kernel keeps it, through SQLite, so a dead process holds nothing. The file stays.
 * Throws what the system or SQLite says when the file can't be made or used.
 */
export function tryLock(file: string): Lock | undefined {
  ensurePrivateFile(file);
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return { release: () => database.close() };
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error)) return false;
  return (Number(error.errcode) & primaryCode) === sqliteBusy;
}
