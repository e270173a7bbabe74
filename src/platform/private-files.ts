import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
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
import { errorMessage, isSystemError } from "../core/errors.ts";

/** The permission bits of group and others. */
export const groupOtherMask = 0o077;

/**
 * Makes `folder` and its missing parents with mode 0700 (XDG Base Directory Specification 0.8), and
 * narrows its mode if others may enter it: it is the program's own. Throws the file system's error.
 */
export function ensurePrivateFolder(folder: string): void {
  makeFolder(folder);
  const { mode } = statSync(folder);
  if ((mode & groupOtherMask) !== 0) chmodSync(folder, mode & 0o7700);
}

/** Makes a folder and its parents. Node's `recursive` never returns below a folder that takes none, such as `/proc`. */
function makeFolder(folder: string): void {
  const parent = path.dirname(folder);
  if (!existsSync(parent) && parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
    // A umask such as 177 took away that the owner may enter it.
    chmodSync(folder, 0o700);
  } catch (error) {
    const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory();
    if (!isSystemError(error, "EEXIST") || !isThere) throw error;
  }
}

/**
 * Makes an empty file of mode 0600 unless it exists; a link to it is followed. Throws the file system's error.
 *
 * An existing file is not opened: closing it would drop every POSIX lock that this process holds on
 * it, those of SQLite included.
 */
export function ensurePrivateFile(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
}

// A link could lead elsewhere, and opening a pipe would block. Windows has neither flag.
const safeFlags = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens `file` with `flags` (open(2)) and returns its descriptor; with O_CREAT a missing one is made with mode
 * 0600. One that is opened to be written loses the permissions of group and others. Throws the file system's
 * errors, and an Error if it is not a regular file; a link is ELOOP.
 */
export function openPrivateFile(file: string, flags: number): number {
  const fd = openSync(file, flags | safeFlags, 0o600);
  try {
    const { mode } = regularFileStats(fd, file);
    const isWritable = (flags & (constants.O_WRONLY | constants.O_RDWR)) !== 0;
    if (isWritable && (mode & groupOtherMask) !== 0) fchmodSync(fd, mode & 0o7700);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function regularFileStats(fd: number, file: string): Stats {
  const stats = fstatSync(fd);
  if (!stats.isFile()) throw new Error(`${file} is not a file`);
  return stats;
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

/**
 * Returns why `file` cannot be used, from the error that the system threw: where permission is missing, with the owner
 * of the file or of the directory that hides it, such as root after `sudo pets`.
 */
export function fileProblem(file: string, error: unknown): string {
  const reason = errorMessage(error);
  if (!isSystemError(error, "EACCES") && !isSystemError(error, "EPERM")) return reason;
  for (let at = file; ; at = path.dirname(at)) {
    const uid = ownerOf(at);
    if (uid !== undefined)
      return `${reason}; ${at} belongs to ${uid === 0 ? "root" : `user ${uid}`}`;
    if (at === path.dirname(at)) return reason;
  }
}

function ownerOf(file: string): number | undefined {
  try {
    return lstatSync(file).uid;
  } catch {
    return undefined;
  }
}
