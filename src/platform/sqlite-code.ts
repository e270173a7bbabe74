// The low byte is the primary code (https://sqlite.org/rescode.html).
const primaryCode = 0xff;

/** The primary result code of an error that SQLite threw; undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return Number(error.errcode) & primaryCode;
}
