import {
  chmodSync,
  closeSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
  unlinkSync,
} from "node:fs";
import path from "node:path";
import { isSystemError } from "../core/errors.ts";

/** The permission bits of group and others. */
export const groupOtherMask = 0o077;

/**
 * Makes `folder` and its missing parents with mode 0700 (XDG Base Directory Specification 0.8), and
 * narrows its mode if others may enter it: it is the program's own. Throws the file system's error.
 */
export function ensurePrivateFolder(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory()) makeFolder(folder);
  else if ((found.mode & groupOtherMask) !== 0) chmodSync(folder, found.mode & 0o7700);
}

/** Makes a folder and its parents. Node's `recursive` never returns below a folder that takes none, such as `/proc`. */
function makeFolder(folder: string): void {
  try {
    makeIfMissing(folder);
  } catch (error) {
    const parent = path.dirname(folder);
    if (!isSystemError(error, "ENOENT") || parent === folder) throw error;
    makeFolder(parent);
    makeIfMissing(folder);
  }
}

function makeIfMissing(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
    // A umask such as 0177 locks out even the owner.
    if ((statSync(folder).mode & 0o700) !== 0o700) chmodSync(folder, 0o700);
    inheritOwner(folder);
  } catch (error) {
    const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory();
    if (!isSystemError(error, "EEXIST") || !isThere) throw error;
  }
}

/**
 * Makes an empty file of mode 0600 unless it exists. Throws the file system's error.
 *
 * An existing file is not opened: closing it would drop every POSIX lock that this process holds on
 * it, those of SQLite included.
 */
export function ensurePrivateFile(file: string): void {
  if (existsSync(file)) return;
  closeSync(openSync(file, "a", 0o600));
  inheritOwner(file);
}

/**
 * Gives what was just made to the owner of its folder, if this process may do that: otherwise what root
 * makes in another user's folder (`sudo pets login`) would lock that user out.
 */
export function inheritOwner(created: string): void {
  const { uid, gid } = statSync(path.dirname(created));
  const made = lstatSync(created, { throwIfNoEntry: false });
  // Another process may have removed it already.
  if (made === undefined || made.uid === uid) return;
  try {
    lchownSync(created, uid, gid);
  } catch {
    // Only root may give files away, and in a container not to everyone.
  }
}

/**
 * Returns the absolute path of `file` with all links resolved. The file may be missing, its folder may
 * not. Throws the file system's error.
 */
export function resolveLinks(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (!isSystemError(error, "ENOENT")) throw error;
  }
  const folder = realpathSync(path.dirname(file));
  const joined = path.join(folder, path.basename(file));
  const isLink = lstatSync(joined, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink ? resolveLinks(path.resolve(folder, readlinkSync(joined))) : joined;
}

/** Removes `file` if its `stat` meets `predicate`. A file that can't be read or removed stays. */
export function removeIf(file: string, predicate: (stat: Stats) => boolean): void {
  try {
    if (predicate(lstatSync(file))) unlinkSync(file);
  } catch {
    // Another process removed it, or it belongs to another user.
  }
}
