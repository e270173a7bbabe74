import { sqliteCode } from "../../platform/sqlite-code.ts";
import { DatabaseError } from "../storage/postgres/errors.ts";

// SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_READONLY, SQLITE_FULL
// (https://sqlite.org/rescode.html).
const passing: ReadonlySet<number | undefined> = new Set([5, 6, 7, 8, 13]);

/**
 * Whether the database refused and kept nothing, for a reason that may pass: busy, out of memory,
 * read-only, a full disk. After an I/O error it may have kept what it was given, so that is none.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.nature.isTransient;
  return passing.has(sqliteCode(error));
}
