import { closeSync, constants, fchmodSync, fstatSync, openSync, readdirSync } from "node:fs";
import { ioFailure } from "../../core/errors.ts";
import { groupOtherMask, removeIf } from "../../platform/private-files.ts";
import { sha256 } from "./sha256.ts";

/** The files of one log: `<name>.<generation>`; the one with the highest generation is written to. */
export interface SegmentPaths {
  readonly folder: string;
  readonly name: string;
}

/** State that nobody has touched for this long, in ms, is removed (rate-limits.md, The gate). */
const staleAfterMs = 2 * 24 * 60 * 60_000;
/** How many files are looked at for that in one go. */
const maxScanned = 64;

// A link could lead out of the folder, and a pipe would never open. Windows knows neither flag.
const flags =
  constants.O_RDWR | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const generationPattern = /^[1-9]\d{0,8}$/;

/** The path of a generation. */
export function generationFile({ folder, name }: SegmentPaths, generation: number): string {
  return `${folder}/${name}.${generation}`;
}

/** The generations that are there, in ascending order. Throws what the file system says. */
export function generations(files: SegmentPaths): readonly number[] {
  return generationsAmong(readdirSync(files.folder), files);
}

/** The generations among the entries of the folder, in ascending order. */
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

/** A file that was opened, and how many bytes it has. */
export interface Opened {
  readonly fd: number;
  readonly size: number;
}

/**
 * Opens a generation to append and to read. To `make` it where it is not there gives it mode 0600
 * from its first byte. Throws what the file system says, and an io Failure where it is no file.
 */
export function openGeneration(
  files: SegmentPaths,
  generation: number,
  how: "find" | "make",
): Opened {
  const file = generationFile(files, generation);
  const fd = openSync(file, how === "make" ? flags | constants.O_CREAT : flags, 0o600);
  const stat = fstatSync(fd);
  if (!stat.isFile()) {
    closeSync(fd);
    throw ioFailure(`${file} is not a file`);
  }
  if ((stat.mode & groupOtherMask) !== 0) fchmodSync(fd, 0o600);
  return { fd, size: stat.size };
}

/**
 * Removes the generations that nobody needs once `current` has begun: all but the one before it,
 * and that one too where it is of more than `huge` bytes. What can't be removed stays.
 */
export function pruneOld(files: SegmentPaths, current: number, huge: number): void {
  for (const generation of generations(files)) {
    const most = generation < current - 1 ? Number.NEGATIVE_INFINITY : huge;
    if (generation < current) removeIf(generationFile(files, generation), (s) => s.size > most);
  }
}

/** Removes the whole log, for when nobody will ask for it again. What can't be removed stays. */
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
 * Removes those of the `entries` of `files.folder` that nobody has touched for two days; `now` is ms
 * since the epoch. What can't be removed stays, and so do `files`: they tell by themselves what is
 * past, also to a clock that has jumped.
 */
export function pruneStale(
  { folder, name }: SegmentPaths,
  entries: readonly string[],
  now: number,
): void {
  const others = entries.filter((entry) => !entry.startsWith(`${name}.`));
  // Of very many, others take the rest.
  const start = others.length > maxScanned ? now % others.length : 0;
  for (const entry of others.slice(start, start + maxScanned)) {
    removeIf(`${folder}/${entry}`, ({ mtimeMs }) => now - mtimeMs > staleAfterMs);
  }
}

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
