import { enableCompileCache, getCompileCacheDir } from "node:module";
import type { Environment } from "./io.ts";
import { programFolders } from "./paths.ts";
import { ensurePrivateFolder } from "./private-files.ts";

/** Makes Node keep the compiled code of what is loaded from now on, unless a variable of Node says where, or not at all. */
export function cacheCompiledCode(env: Environment, platform: NodeJS.Platform): void {
  if (env.NODE_DISABLE_COMPILE_CACHE !== undefined || getCompileCacheDir() !== undefined) return;
  const { cache } = programFolders(env, platform);
  try {
    // Code that others put there would run as this user. Node itself never returns where no folder can be made.
    ensurePrivateFolder(cache);
    enableCompileCache(cache);
  } catch {
    // Without a folder it only starts slower.
  }
}
