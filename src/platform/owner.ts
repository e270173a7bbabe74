import { lstatSync, readlinkSync, type Stats } from "node:fs";
import path from "node:path";

// The rights of this process are lent in the middle of a step of the file system, far below whoever could hand them
// in: with `main.ts` this is the only file that reads `process`.

/** The first directory on the way to a file that is not root's: its owner may replace everything below it. */
interface ForeignDirectory {
  readonly path: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Runs `step`, which opens, makes, renames or removes `file`, and returns what it returns. If this process
 * is root (`sudo pets`) and the file is in a directory of another user, `step` has only that user's rights:
 * whatever links the user puts there, root does not follow them to a file that the user could not reach, and
 * what is made belongs to the user. Where rights can't be lent (a container, a worker thread), throws an
 * Error if there is a link or a file of a third user on the way. `step` must be synchronous.
 */
export function asOwnerOf<T>(file: string, step: () => T): T {
  const foreign = foreignDirectory(file);
  if (foreign === undefined) return step();
  const restore = become(foreign);
  if (restore === undefined) {
    refuseStrangers(path.resolve(file), foreign);
    return step();
  }
  try {
    return step();
  } finally {
    restore();
  }
}

/** How many of root's own links are followed on the way to a file, as in Linux (path_resolution(7)). */
const maxLinks = 40;

/** Returns where on the way to `file` another user's directories begin, if this process is root. */
export function foreignDirectory(file: string, links = 0): ForeignDirectory | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  const names = path.resolve(file).split(path.sep);
  for (let count = 2; count <= names.length; count += 1) {
    const at = names.slice(0, count).join(path.sep);
    const stats = statsOf(at);
    if (stats === undefined) return undefined;
    if (stats.uid !== 0) return { path: at, uid: stats.uid, gid: stats.gid };
    // Root's own link, such as /var on macOS.
    if (stats.isSymbolicLink() && links < maxLinks) {
      const end = path.resolve(path.dirname(at), readlinkSync(at), ...names.slice(count));
      return foreignDirectory(end, links + 1);
    }
  }
  return undefined;
}

function statsOf(file: string): Stats | undefined {
  try {
    return lstatSync(file);
  } catch {
    return undefined;
  }
}

/** Gives this process the rights of a user; returns what takes them back, or undefined if it can't be done. */
function become({ path: directory, uid, gid }: ForeignDirectory): (() => void) | undefined {
  const { seteuid, setegid, setgroups, getgroups, getegid } = process;
  if (!seteuid || !setegid || !setgroups || !getgroups || !getegid) return undefined;
  const [groups, group] = [getgroups(), getegid()];
  const restore = (): void => {
    seteuid(0);
    setegid(group);
    setgroups(groups);
  };
  try {
    setgroups([gid]);
    setegid(gid);
    seteuid(uid);
    // Below a directory that only root may enter the user could not reach even what is the user's own.
    lstatSync(directory);
    return restore;
  } catch {
    restore();
    return undefined;
  }
}

/** Throws if a part of `file` from `foreign` on is a link, or does not belong to the same user. */
function refuseStrangers(file: string, { path: directory, uid }: ForeignDirectory): void {
  const inside = path.relative(directory, file).split(path.sep);
  for (let count = 0; count <= inside.length; count += 1) {
    const at = path.join(directory, ...inside.slice(0, count));
    const stats = statsOf(at);
    if (stats === undefined) return;
    if (stats.isSymbolicLink()) throw new Error(`${at} is a link, which root does not follow here`);
    if (stats.uid !== uid) throw new Error(`${at} belongs to another user`);
  }
}
