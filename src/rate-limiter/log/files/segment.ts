import { closeSync, constants, fstatSync, readSync, writeSync } from "node:fs";
import { ioFailure, isSystemError } from "../../../core/errors.ts";
import { openPrivateFile } from "../../../platform/private-files.ts";
import type { Timestamp } from "../../rules/records.ts";
import { applyRecord } from "../../rules/reducer.ts";
import { emptyState, type LimiterState } from "../../rules/state.ts";
import { decodeLines, type LogLine } from "../codec.ts";
import { generations, segmentPath, type SegmentPaths } from "./segment-paths.ts";

/** A segment of this size, without its snapshot, is sealed: every command reads all of it. */
const fullBytes = 4 * 1024;
/** A larger file was not written by this program: even a hundred processes that begin it at once write less. */
const maxBytes = 1024 * 1024;

const appendFlags = constants.O_RDWR | constants.O_APPEND;
export const createFlags = appendFlags | constants.O_CREAT;

/** A file of a log, and the state after its records, from its snapshot to its first seal. Throws as SharedFileLog does. */
export class Segment {
  readonly generation: number;
  readonly state: LimiterState = emptyState();
  /** Whether it has its snapshot, without which no record in it counts. */
  hasSnapshot = false;
  sealed = false;
  readonly #path: string;
  readonly #fd: number;
  readonly #now: () => Timestamp;
  #position = 0;
  #snapshotBytes = 0;
  /** The beginning of a line whose end is not written yet. */
  #partial = "";

  /** Opens and reads the segment of `generation`, by default to append to it; creates its file if `flags` (open(2)) say so. */
  constructor(files: SegmentPaths, generation: number, now: () => Timestamp, flags = appendFlags) {
    this.generation = generation;
    this.#path = segmentPath(files, generation);
    this.#now = now;
    this.#fd = openPrivateFile(this.#path, flags);
    this.read();
  }

  get isFull(): boolean {
    return this.#position > this.#snapshotBytes + fullBytes;
  }

  /** Appends `text`, of ASCII characters, in one write. */
  write(text: string): void {
    if (writeSync(this.#fd, text) < text.length) throw ioFailure(`${this.#path} is full`);
  }

  /** Applies new records; returns whether the line `own`, with its break, was among them and counts. */
  read(own?: string): boolean {
    const { nlink, size } = fstatSync(this.#fd);
    if (size < this.#position) throw ioFailure(`${this.#path} was truncated`);
    if (size > maxBytes) throw ioFailure(`${this.#path} is too large`);
    let found = false;
    const now = this.#now();
    for (const [text, line] of size > this.#position ? this.#readLines(size, own) : [])
      if (line !== undefined && this.#apply(line, text.length, now)) found ||= `\n${text}` === own;
    // A sealed segment is removed when there are two later ones; so is one that was created after them, which stays empty.
    if (nlink === 0 && this.hasSnapshot && !this.sealed)
      throw ioFailure(`${this.#path} was removed`);
    return found;
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Returns the lines that were added up to `size`: their texts, and what is valid of them. */
  #readLines(size: number, own?: string) {
    // If nobody else has written meanwhile, it is all that there is to read.
    const added = size - this.#position === own?.length ? own : this.#readText(size);
    this.#position += added.length;
    const pieces = (this.#partial + added).split("\n");
    const texts = pieces.filter((text) => text !== "");
    const lines = decodeLines(texts);
    const isComplete = pieces.at(-1) !== "" && lines.at(-1) !== undefined;
    this.#partial = isComplete ? "" : (pieces.at(-1) ?? "");
    return texts.map((text, index) => [text, lines[index]] as const);
  }

  #readText(size: number): string {
    const buffer = Buffer.allocUnsafe(size - this.#position);
    const count = readSync(this.#fd, buffer, 0, buffer.length, this.#position);
    return buffer.toString("latin1", 0, count);
  }

  #apply({ isSnapshot, records }: LogLine, length: number, now: Timestamp): boolean {
    if (this.sealed || isSnapshot === this.hasSnapshot) return false;
    if (isSnapshot) this.#snapshotBytes = length;
    this.hasSnapshot = true;
    this.sealed = !isSnapshot && records[0]?.event.kind === "seal";
    for (const record of records) applyRecord(this.state, record, now);
    return true;
  }
}

/** Opens the latest segment of `existing` generations that has its snapshot, if one has. */
export function openLatest(
  files: SegmentPaths,
  existing: readonly number[],
  now: () => Timestamp,
  flags?: number,
): Segment | undefined {
  for (const generation of existing.toReversed()) {
    try {
      const segment = new Segment(files, generation, now, flags);
      if (segment.hasSnapshot) return segment;
      segment.close();
    } catch (error) {
      // Others have rotated the log twice since it was listed.
      if (!isSystemError(error, "ENOENT")) throw error;
    }
  }
  return undefined;
}

/** Returns the state of a log, which is only read; undefined if there is none, or it can't be used. */
export function readState(files: SegmentPaths, now: Timestamp): LimiterState | undefined {
  try {
    const segment = openLatest(files, generations(files), () => now, constants.O_RDONLY);
    segment?.close();
    return segment?.state;
  } catch {
    return undefined;
  }
}
