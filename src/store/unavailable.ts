// SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_READONLY, SQLITE_FULL
// (https://sqlite.org/rescode.html); the low byte is the primary code.
const passing = new Set([5, 6, 7, 8, 13]);
const primaryCode = 0xff;

/**
 * Whether the database refused and kept nothing, for a reason that may pass: busy, out of memory,
 * read-only, a full disk. After an I/O error it may have kept what it was given, so that is none.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error)) return false;
  return passing.has(Number(error.errcode) & primaryCode);
}
