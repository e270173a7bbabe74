import { getCompileCacheDir } from "node:module";
import { setFlagsFromString } from "node:v8";

/**
 * Makes V8 compile all functions of what is loaded next, not only those that run at once: Node's compile
 * cache saves a file as it was compiled when it was loaded. Does nothing when the cache is off.
 *
 * Only our own files are loaded this way: V8 discards the compiled code that Node ships for its own
 * modules when its flags differ from the default. test/bench/startup.ts measures both.
 */
export function compileEagerly(): void {
  if (getCompileCacheDir() !== undefined) setFlagsFromString("--no-lazy");
}

/** Undoes `compileEagerly`. */
export function compileLazily(): void {
  if (getCompileCacheDir() !== undefined) setFlagsFromString("--lazy");
}
