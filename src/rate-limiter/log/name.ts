import type { SegmentPaths } from "./segment-paths.ts";
import { sha256 } from "./sha256.ts";

/** Changes with the way in which the state is written: files of another version are left alone. */
const version = "pets gate 1";
const hexDigits = 32;

/**
 * The name of the state of a key at an origin: a hash of both, from which neither can be told
 * (rate-limits.md, The gate).
 */
export function limiterId(origin: string, apiKey: string): string {
  return sha256(`${version}\n${origin}\n${apiKey}`).slice(0, hexDigits);
}

/** The files in which the gate of a key at an origin is kept, below the program's state folder `state`. */
export function limiterPaths(state: string, origin: string, apiKey: string): SegmentPaths {
  return { folder: `${state}/gate`, name: limiterId(origin, apiKey) };
}
