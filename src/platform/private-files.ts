import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
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
import { asOwnerOf, foreignDirectory } from "./owner.ts";

/** The permission bits of group and others. */
export const groupOtherMask = 0o077;

/**
 * Makes `folder` and its missing parents with mode 0700 (XDG Base Directory Specification 0.8), and
 * narrows its mode if others may enter it: it is the program's own. Throws the file system's error.
 */
export function ensurePrivateFolder(folder: string): void {
  asOwnerOf(folder, () => {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (!found?.isDirectory()) makeFolder(folder);
    else if ((found.mode & groupOtherMask) !== 0) chmodSync(folder, found.mode & 0o7700);
  });
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
    const owner = foreignDirectory(folder);
    if (owner !== undefined) lchownSync(folder, owner.uid, owner.gid);
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
  asOwnerOf(file, () => {
    if (statSync(file, { throwIfNoEntry: false }) !== undefined) return;
    const target = resolveLinks(file);
    try {
      closeSync(openPrivateFile(target, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL));
    } catch (error) {
      // Another process was faster.
      if (!isSystemError(error, "EEXIST")) throw error;
    }
  });
}

// A link could lead elsewhere, and opening a pipe would block. Windows has neither flag.
const safeFlags = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens `file` with `flags` (open(2)) and returns its descriptor; with O_CREAT a missing one is made with mode
 * 0600. One that is opened to be written loses the permissions of group and others. Throws the file system's
 * errors, and an Error if it is not a regular file; a link is ELOOP.
 */
export function openPrivateFile(file: string, flags: number): number {
  return asOwnerOf(file, () => {
    const fd = openSync(file, flags | safeFlags, 0o600);
    try {
      const stats = fstatSync(fd);
      if (!stats.isFile()) throw new Error(`${file} is not a file`);
      adopt(fd, stats, file);
      const isWritable = (flags & (constants.O_WRONLY | constants.O_RDWR)) !== 0;
      if (isWritable && (stats.mode & groupOtherMask) !== 0) fchmodSync(fd, stats.mode & 0o7700);
      return fd;
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  });
}

/** Gives a file that root has just made in another user's directory to that user. */
function adopt(fd: number, { uid, size, nlink }: Stats, file: string): void {
  const owner = foreignDirectory(file);
  if (owner === undefined || owner.uid === uid) return;
  if (uid !== 0 || size > 0 || nlink > 1) throw new Error(`${file} belongs to another user`);
  fchownSync(fd, owner.uid, owner.gid);
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
    asOwnerOf(file, () => predicate(lstatSync(file)) && unlinkSync(file));
  } catch {
    // Another process removed it, or it belongs to another user.
  }
}
