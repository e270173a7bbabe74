import { hash } from "node:crypto";
import { constants, fstatSync, readdirSync } from "node:fs";
import { openPrivateFile, removeIf } from "../../../platform/private-files.ts";

/** The files of one log: `<name>.<generation>`; the highest generation is written to. */
export interface SegmentPaths {
  readonly folder: string;
  readonly name: string;
}

/** State that was not touched for this long, in ms, is removed (`help rate-limits`). */
const staleAfterMs = 2 * 24 * 60 * 60_000;
/** Scan at most this many entries per start; later processes scan the others. */
const maxScanned = 64;

const flags = constants.O_RDWR | constants.O_APPEND;

const generationPattern = /^[1-9]\d{0,8}$/;

/** Returns the path of a generation. */
export function generationFile({ folder, name }: SegmentPaths, generation: number): string {
  return `${folder}/${name}.${generation}`;
}

/** Returns the existing generations in ascending order. Throws the file system's errors. */
export function generations(files: SegmentPaths): readonly number[] {
  return generationsAmong(readdirSync(files.folder), files);
}

/** Returns the generations among the entries of the folder, in ascending order. */
export function generationsAmong(
  entries: readonly string[],
  { name }: SegmentPaths,
): readonly number[] {
  return entries
    .filter((entry) => entry.startsWith(`${name}.`))
    .map((entry) => entry.slice(name.length + 1))
    .filter((generation) => generationPattern.test(generation))
    .map(Number)
    .sort((a, b) => a - b);
}

/** An open file, and how many bytes it has. */
export interface Opened {
  readonly fd: number;
  readonly size: number;
}

/**
 * Opens a generation to append and to read; `create` creates a missing one with mode 0600. Throws the
 * file system's errors, and an Error if it is not a regular file.
 */
export function openGeneration(
  files: SegmentPaths,
  generation: number,
  mode: "open" | "create",
): Opened {
  const file = generationFile(files, generation);
  const fd = openPrivateFile(file, mode === "create" ? flags | constants.O_CREAT : flags);
  return { fd, size: fstatSync(fd).size };
}

/**
 * Removes the generations before `current`, except the one right before it unless that is larger than
 * `maxBytes`. Ignores what can't be removed.
 */
export function pruneOld(files: SegmentPaths, current: number, maxBytes: number): void {
  for (const generation of generations(files)) {
    const limit = generation < current - 1 ? Number.NEGATIVE_INFINITY : maxBytes;
    if (generation < current) removeIf(generationFile(files, generation), (s) => s.size > limit);
  }
}

/** Returns whether the log exists. */
export function hasLog({ folder, name }: SegmentPaths): boolean {
  return entriesOf(folder).some((entry) => entry.startsWith(`${name}.`));
}

/** Removes the whole log. Ignores what can't be removed. */
export function removeLog({ folder, name }: SegmentPaths): void {
  for (const entry of entriesOf(folder))
    if (entry.startsWith(`${name}.`)) removeIf(`${folder}/${entry}`, () => true);
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * Removes those of the folder's `entries` that were not touched for two days; `now` is ms since the
 * epoch. Ignores what can't be removed. Keeps this log's own files: their records have times, which
 * hold even if the clock has jumped.
 */
export function pruneStale(
  { folder, name }: SegmentPaths,
  entries: readonly string[],
  now: number,
): void {
  const others = entries.filter((entry) => !entry.startsWith(`${name}.`));
  const start = others.length > maxScanned ? now % others.length : 0;
  for (const entry of others.slice(start, start + maxScanned)) {
    removeIf(`${folder}/${entry}`, ({ mtimeMs }) => now - mtimeMs > staleAfterMs);
  }
}

/** The version of the format on disk: files of another version are ignored. */
const version = "pets gate 1";
const hexDigits = 32;

/** Returns the name of the log of a key at an origin: a hash of both (`help rate-limits`). */
export function limiterId(origin: string, apiKey: string): string {
  return hash("sha256", `${version}\n${origin}\n${apiKey}`).slice(0, hexDigits);
}

/** Returns the paths of the log of a key at an origin, below the program's state folder `state`. */
export function limiterPaths(state: string, origin: string, apiKey: string): SegmentPaths {
  return limiterStatePaths(state, limiterId(origin, apiKey));
}

/** Returns the paths of the log called `name`, a limiterId. */
export function limiterStatePaths(state: string, name: string): SegmentPaths {
  return { folder: limiterFolder(state), name };
}

/** Returns the folder of all logs, below the program's state folder `state`. */
export const limiterFolder = (state: string): string => `${state}/gate`;
