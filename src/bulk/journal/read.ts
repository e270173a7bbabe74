import { closeSync, constants, fchmodSync, fstatSync, openSync, readSync } from "node:fs";
import path from "node:path";
import { groupOtherMask } from "../../platform/private-files.ts";
import { isSystemError } from "../../core/errors.ts";
import type { RowState } from "../types.ts";
import { journalIoFailure } from "./errors.ts";
import { type JournalIdentity, Replay, type Replayed } from "./replay.ts";
import type { RowCounts } from "./row-states.ts";

const chunkBytes = 256 * 1024;

// A symbolic link could lead elsewhere, and opening a FIFO would wait. Windows has neither flag.
const safeFlags = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Replays the journal at `expected.file`; undefined if there is none. Creates and changes nothing. */
function readJournalFile(expected: JournalIdentity): Replayed | undefined {
  const fd = openIfExists(expected.file);
  if (fd === undefined) return undefined;
  try {
    return replayFile(fd, expected);
  } finally {
    closeSync(fd);
  }
}

function openIfExists(file: string): number | undefined {
  try {
    return openJournalFile(file, constants.O_RDONLY);
  } catch (error) {
    if (isSystemError(error, "ENOENT") || isSystemError(error, "ENOTDIR")) return undefined;
    throw journalIoFailure(file, "read", error);
  }
}

/**
 * Opens `file` with `flags` (open(2)), and narrows one opened for writing to mode 0600. Throws system
 * errors, and an Error if it is not a regular file.
 */
export function openJournalFile(file: string, flags: number): number {
  const fd = openSync(file, flags | safeFlags, 0o600);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new Error("it is not a file");
    if (flags !== constants.O_RDONLY && (stats.mode & groupOtherMask) !== 0) fchmodSync(fd, 0o600);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Replays an open journal. */
export function replayFile(fd: number, expected: JournalIdentity): Replayed | undefined {
  const replay = new Replay(expected);
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (;;) {
    const length = readChunk(fd, buffer, expected.file);
    if (length === 0) return replay.end();
    replay.feed(buffer.subarray(0, length));
  }
}

function readChunk(fd: number, buffer: Buffer, file: string): number {
  try {
    return readSync(fd, buffer);
  } catch (error) {
    throw journalIoFailure(file, "read", error);
  }
}

/** Identifies a journal. */
export interface JournalRef {
  /** `<state>/bulk`; it may not exist. */
  readonly folder: string;
  /** `journalName` of the input and the base URL. */
  readonly name: string;
  /** How many rows the input has. */
  readonly rows: number;
}

/** The content of a journal. Rows are counted from 0. */
export interface JournalView {
  /** Absolute path of the file. */
  readonly file: string;
  state(row: number): RowState;
  /** How many rows are in each state. */
  readonly counts: RowCounts;
  /** Whether a run finished, and no row was sent since. */
  readonly isFinished: boolean;
}

/**
 * Returns the content of the journal of an input; undefined if there is none. Creates, locks and
 * changes nothing. Throws a usage Failure if it is damaged or belongs to another input, and an io
 * Failure if it can't be read.
 */
export function readJournal(ref: JournalRef): JournalView | undefined {
  const file = journalFile(ref);
  const found = readJournalFile({ ...ref, file });
  return found && viewOf(file, found);
}

/** Returns the path of a journal. */
export function journalFile({ folder, name }: JournalRef): string {
  return path.join(folder, `${name}.journal`);
}

function viewOf(file: string, { rows, isFinished }: Replayed): JournalView {
  return {
    file,
    state: (row) => rows.state(row),
    counts: rows.counts,
    isFinished,
  };
}
