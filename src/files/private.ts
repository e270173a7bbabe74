import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import path from "node:path";

/** Permission bits of everyone but the owner. */
export const othersMask = 0o077;

/**
 * Makes `folder` with mode 0700, its parents as the umask says, and narrows it where others may
 * enter it: it is the program's own. Throws what the file system says.
 */
export function ensurePrivateFolder(folder: string): void {
  mkdirSync(path.dirname(folder), { recursive: true });
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!isSystemError(error, "EEXIST")) throw error;
  }
  const { mode } = statSync(folder);
  if ((mode & othersMask) !== 0) chmodSync(folder, mode & 0o7700);
}

/** Makes an empty file of mode 0600 unless something is there. Throws what the file system says. */
export function ensurePrivateFile(file: string): void {
  closeSync(openSync(file, "a", 0o600));
}

/** Whether `error` is one of the system's, with this code (`ENOENT`, …). */
export function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
