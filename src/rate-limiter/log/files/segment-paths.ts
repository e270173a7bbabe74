import { hash } from "node:crypto";
import { readdirSync } from "node:fs";
import type { ProgramFolders } from "../../../platform/paths.ts";
import { removeIf } from "../../../platform/private-files.ts";

/** The files of one log: `<name>.<generation>`; the highest generation is written to. */
export interface SegmentPaths {
  readonly folder: string;
  readonly name: string;
}

/** State that was not touched for this long is removed (`help rate-limits`). */
const staleAfterMs = 2 * 24 * 60 * 60_000;

const generationPattern = /^[1-9]\d{0,8}$/;

/** Returns the path of the segment of `generation`. */
export function segmentPath({ folder, name }: SegmentPaths, generation: number): string {
  return `${folder}/${name}.${generation}`;
}

/** Returns the generations among the `entries` of the folder, in ascending order. Throws the file system's errors. */
export function generations(
  { folder, name }: SegmentPaths,
  entries: readonly string[] = readdirSync(folder),
): readonly number[] {
  return entries
    .filter((entry) => entry.startsWith(`${name}.`))
    .map((entry) => entry.slice(name.length + 1))
    .filter((generation) => generationPattern.test(generation))
    .map(Number)
    .sort((a, b) => a - b);
}

/** Removes the files of a log, if it can. */
export function removeLog(files: SegmentPaths): void {
  try {
    for (const generation of generations(files))
      removeIf(segmentPath(files, generation), () => true);
  } catch {
    // Its folder can't be read.
  }
}

/** Removes stale `entries`, not those of this log: the times in them hold even if the clock has jumped. */
export function pruneStale(
  { folder, name }: SegmentPaths,
  entries: readonly string[],
  now: number,
): void {
  for (const entry of entries)
    if (!entry.startsWith(`${name}.`))
      removeIf(`${folder}/${entry}`, ({ mtimeMs }) => now - mtimeMs > staleAfterMs);
}

/** The version of the format on disk: files of another version are ignored. */
const version = "pets limiter 1";
const hexDigits = 32;

/** Returns the folders in which the limiter is kept: the second, in one of all users, if the first can't be used. */
export const limiterFolders = ({
  state,
  temporary,
}: Pick<ProgramFolders, "state" | "temporary">): readonly string[] =>
  [state, temporary].flatMap((folder) => (folder === undefined ? [] : `${folder}/limiter`));

/** Returns the name of the log of `key`, or of what stands for several keys, at an origin: a hash of both (`help rate-limits`). */
export const logName = (origin: string, key: string): string =>
  hash("sha256", `${version}\n${origin}\n${key}`).slice(0, hexDigits);
