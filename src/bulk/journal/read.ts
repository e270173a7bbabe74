import { closeSync, constants, fchmodSync, fstatSync, openSync, readSync } from "node:fs";
import path from "node:path";
import { groupOtherMask } from "../../platform/private-files.ts";
import { isSystemError } from "../../core/errors.ts";
import type { RowState } from "../types.ts";
import { journalIoFailure } from "./errors.ts";
import { type JournalIdentity, Replay, type Replayed } from "./replay.ts";
import type { RowCounts } from "./row-states.ts";

const chunkBytes = 256 * 1024;

// A link could lead out of the folder, and a pipe would never open. Windows knows neither flag.
const careful = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** What the journal at `expected.file` comes to; undefined where there is none. Makes and changes nothing. */
function readJournalFile(expected: JournalIdentity): Replayed | undefined {
  const fd = openIfThere(expected.file);
  if (fd === undefined) return undefined;
  try {
    return replayFile(fd, expected);
  } finally {
    closeSync(fd);
  }
}

function openIfThere(file: string): number | undefined {
  try {
    return openJournalFile(file, constants.O_RDONLY);
  } catch (error) {
    if (isSystemError(error, "ENOENT") || isSystemError(error, "ENOTDIR")) return undefined;
    throw journalIoFailure(file, "read", error);
  }
}

/**
 * Opens `file` with `flags` (open(2)); one that may be written is narrowed to mode 0600. Throws what
 * the system says, and where it is no file.
 */
export function openJournalFile(file: string, flags: number): number {
  const fd = openSync(file, flags | careful, 0o600);
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

/** What an open journal comes to, as `readJournalFile`. */
export function replayFile(fd: number, expected: JournalIdentity): Replayed | undefined {
  const whole = new Replay(expected);
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (;;) {
    const length = readChunk(fd, buffer, expected.file);
    if (length === 0) return whole.end();
    whole.feed(buffer.subarray(0, length));
  }
}

function readChunk(fd: number, buffer: Buffer, file: string): number {
  try {
    return readSync(fd, buffer);
  } catch (error) {
    throw journalIoFailure(file, "read", error);
  }
}

/** Which journal. */
export interface JournalRef {
  /** `<state>/bulk`; it need not exist. */
  readonly folder: string;
  /** What `journalName` makes of the input and the base URL. */
  readonly name: string;
  /** How many rows the input has. */
  readonly rows: number;
}

/** What a journal tells of an input. Rows are counted from 0. */
export interface JournalView {
  /** Absolute path of the file. */
  readonly file: string;
  state(row: number): RowState;
  /** How many rows are in each state. */
  readonly counts: RowCounts;
  /** Whether a run came to its end. Once a row is sent again it has not. */
  readonly isFinished: boolean;
}

/**
 * What the journal of an input tells; undefined where none was begun. Makes, locks and changes
 * nothing. Throws a usage Failure where it is damaged or not of this input, and an io Failure where
 * it can't be read.
 */
export function readJournal(place: JournalRef): JournalView | undefined {
  const file = journalFile(place);
  const found = readJournalFile({ ...place, file });
  return found && viewOf(file, found);
}

/** Where the journal is kept. */
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
