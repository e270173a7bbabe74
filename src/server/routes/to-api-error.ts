import { sqliteCode } from "../../platform/sqlite-lock.ts";
import { ApiError, badRequest, ClientDisconnected } from "../api/errors.ts";
import { DatabaseError } from "../storage/postgres/errors.ts";

const maybeDone = "the request may have been carried out";

/** Returns the ApiError to send for `error`, and reports an unexpected error to `onFault`. */
export function toApiError(error: unknown, onFault: (error: unknown) => void): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof ClientDisconnected) return badRequest(error.message);
  onFault(error);
  if (!isTransient(error)) return new ApiError(500, "internal", `the store failed; ${maybeDone}`);
  const isUnknown = error instanceof DatabaseError && error.mayHaveCommitted;
  const message = `the data cannot be used at the moment${isUnknown ? `; ${maybeDone}` : ""}`;
  return new ApiError(503, "unavailable", message, { "Retry-After": "1" });
}

// SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_READONLY, SQLITE_FULL
// (https://sqlite.org/rescode.html).
const transientSqliteCodes: ReadonlySet<number | undefined> = new Set([5, 6, 7, 8, 13]);

/**
 * Returns whether the database refused and stored nothing for a temporary reason: busy, out of memory,
 * read-only, a full disk. An I/O error is not one: the data may have been stored.
 */
function isTransient(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.isTransient;
  return transientSqliteCodes.has(sqliteCode(error));
}
