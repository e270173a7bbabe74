import fs from "node:fs";
import path from "node:path";
import { errorMessage, isSystemError } from "../core/errors.ts";

export const groupOtherMask = 0o077;

/** Makes `folder`, which is the program's own, and its missing parents with mode 0700. Throws the file system's error. */
export function ensurePrivateFolder(folder: string): void {
  makeFolder(folder);
  const { mode } = fs.statSync(folder);
  if ((mode & groupOtherMask) !== 0) fs.chmodSync(folder, mode & 0o7700);
}

/** Makes `folder` in one of all users. Throws unless it belongs to the user `uid`, who alone may use it, and is no link. */
export function ensureOwnFolder(folder: string, uid: number): void {
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!isSystemError(error, "EEXIST")) throw error;
  }
  if (!isOwnFolder(folder, uid))
    throw new Error(`${folder} is not a directory that only you can use`);
}

/** Returns whether `folder` belongs to the user `uid`, who alone may use it, and is no link. */
export function isOwnFolder(folder: string, uid: number): boolean {
  const stats = fs.lstatSync(folder, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === uid && (stats.mode & 0o777) === 0o700;
}

/** Makes a folder and its parents. Node's `recursive` never returns below a folder that takes none, such as `/proc`. */
function makeFolder(folder: string): void {
  const parent = path.dirname(folder);
  if (!fs.existsSync(parent) && parent !== folder) makeFolder(parent);
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const isThere = fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory();
    if (!isSystemError(error, "EEXIST") || !isThere) throw error;
  }
}

// A link could lead elsewhere, and opening a pipe would block. Windows has neither flag.
const safeFlags = (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

/** Opens a regular file with `flags` (open(2)), never through a link; one to be written loses the permissions of others. */
export function openPrivateFile(file: string, flags: number): number {
  const fd = fs.openSync(file, flags | safeFlags, 0o600);
  try {
    const stats = fs.fstatSync(fd);
    if (!stats.isFile()) throw new Error(`${file} is not a file`);
    const isWritable = (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) !== 0;
    if (isWritable && (stats.mode & groupOtherMask) !== 0) fs.fchmodSync(fd, stats.mode & 0o7700);
    return fd;
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

/** Writes `text` to `file`, whose folder is the program's own, as if at the time `at`, which the disk may know otherwise. */
export function writePrivateFile(file: string, text: string, at: number): void {
  ensurePrivateFolder(path.dirname(file));
  const { O_WRONLY, O_CREAT, O_TRUNC } = fs.constants;
  const fd = openPrivateFile(file, O_WRONLY | O_CREAT | O_TRUNC);
  fs.writeSync(fd, text);
  fs.futimesSync(fd, at / 1000, at / 1000);
  fs.closeSync(fd);
}

/** Returns the absolute path of `file`, which may be missing, with all links resolved. Throws the file system's error. */
export function resolveLinks(file: string): string {
  try {
    return fs.realpathSync(file);
  } catch (error) {
    if (!isSystemError(error, "ENOENT")) throw error;
  }
  const folder = fs.realpathSync(path.dirname(file));
  const joined = path.join(folder, path.basename(file));
  const isLink = fs.lstatSync(joined, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink ? resolveLinks(path.resolve(folder, fs.readlinkSync(joined))) : joined;
}

/** Returns the first `size` bytes of a file, or all of a shorter one. Throws the file system's error. */
export function readStart(file: string, size: number): Buffer {
  const fd = fs.openSync(file, "r");
  try {
    const start = Buffer.alloc(size);
    return start.subarray(0, fs.readSync(fd, start));
  } finally {
    fs.closeSync(fd);
  }
}

/** Removes `file` if its `stat` meets `predicate`. A file that can't be read or removed stays. */
export function removeIf(file: string, predicate: (stat: fs.Stats) => boolean): void {
  try {
    if (predicate(fs.lstatSync(file))) fs.unlinkSync(file);
  } catch {
    // Another process removed it, or it belongs to another user.
  }
}

/** Returns why `file` cannot be used; without permission, also who owns it or the directory that hides it. */
export function fileProblem(file: string, error: unknown): string {
  const reason = errorMessage(error);
  if (!isSystemError(error, "EACCES") && !isSystemError(error, "EPERM")) return reason;
  for (let current = file; ; current = path.dirname(current)) {
    const uid = ownerOf(current);
    if (uid !== undefined)
      return `${reason}; ${current} belongs to ${uid === 0 ? "root" : `user ${uid}`}`;
    if (current === path.dirname(current)) return reason;
  }
}

function ownerOf(file: string): number | undefined {
  try {
    return fs.lstatSync(file).uid;
  } catch {
    return undefined;
  }
}
