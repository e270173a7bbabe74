import { lstatSync } from "node:fs";
import { enableCompileCache, getCompileCacheDir } from "node:module";
import type { Environment } from "./io.ts";
import { programFolders } from "./paths.ts";
import { ensurePrivateFolder, groupOtherMask } from "./private-files.ts";

/** What is needed of `process`. */
export interface CacheOwner {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** Returns the user's id; missing on Windows. */
  readonly getuid?: () => number;
}

/**
 * Turns on Node's compile cache in a folder of the program's own, unless the user's environment has turned it
 * on or off already. Never throws: without a folder that is safe to use, the cache stays off.
 */
export function turnOnCompileCache(owner: CacheOwner): void {
  if (getCompileCacheDir() !== undefined) return;
  const folder = compileCacheFolder(owner);
  if (folder !== undefined) enableCompileCache(folder);
}

/**
 * Returns the folder for compiled code, creating it if it is missing; undefined if it must not be used,
 * because code that others put there would run as this user.
 */
export function compileCacheFolder({ env, platform, getuid }: CacheOwner): string | undefined {
  if (env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  const user = getuid?.();
  // Under sudo HOME may be the caller's, who could not use what root makes there.
  if (user === 0 && env.SUDO_UID) return undefined;
  const { cache } = programFolders(env, platform);
  try {
    if (lstatSync(cache, { throwIfNoEntry: false }) === undefined) ensurePrivateFolder(cache);
    return isOwnFolder(cache, user) ? cache : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether `folder` is not a link, and only `user` can read it or write to it. */
function isOwnFolder(folder: string, user: number | undefined): boolean {
  const found = lstatSync(folder);
  const isPrivate =
    user === undefined || (found.uid === user && (found.mode & groupOtherMask) === 0);
  return isPrivate && found.isDirectory();
}
