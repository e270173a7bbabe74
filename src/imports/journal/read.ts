import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
} from "node:fs";
import path from "node:path";
import { groupOtherMask } from "../../platform/private-files.ts";
import { isSystemError } from "../../core/errors.ts";
import type { RowState } from "../types.ts";
import { journalIoFailure } from "./errors.ts";
import { type JournalIdentity, Replay, type Replayed } from "./replay.ts";
import type { RowCounts } from "./row-states.ts";

const chunkBytes = 256 * 1024;

// A symbolic link could lead elsewhere, and opening a FIFO would block. Windows has neither flag.
const safeFlags = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The content of the file of a journal. */
export interface JournalContent extends Replayed {
  /** When it was last written, in ms since the epoch. */
  readonly modifiedAt: number;
}

/** Replays the journal at `expected.file`; undefined if there is none. Creates and changes nothing. */
export function readJournalFile(
  expected: JournalIdentity,
  onAdded?: (row: number, id: bigint) => void,
): JournalContent | undefined {
  const fd = openIfExists(expected.file);
  if (fd === undefined) return undefined;
  try {
    const { mtimeMs: modifiedAt } = fstatSync(fd);
    const found = replayFile(fd, expected, onAdded);
    return found && { ...found, modifiedAt };
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
export function replayFile(
  fd: number,
  expected: JournalIdentity,
  onAdded?: (row: number, id: bigint) => void,
): Replayed | undefined {
  const replay = new Replay(expected, onAdded);
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
  /** Distinguishes the journals of several stores at one base URL: `storeSuffix`. */
  readonly suffix?: string;
}

/** The content of a journal. Rows are counted from 0. */
export interface JournalView {
  /** Absolute path of the file. */
  readonly file: string;
  state(row: number): RowState;
  /** Returns whether the row was compared with those of other runs, and marked. */
  isMarked(row: number): boolean;
  /** How many rows are in each state. */
  readonly counts: RowCounts;
  /** Whether a run finished, and no row has been sent since. */
  readonly isFinished: boolean;
  /** The id of the store that the rows were sent to, if it sent one. */
  readonly storeId: string | undefined;
}

/** The content of a journal that is not open for writing. */
export interface StoredJournal extends JournalView {
  readonly suffix: string | undefined;
  /** A hash of the API key that the run was started with. */
  readonly key: string;
  /** When it was last written, in ms since the epoch. */
  readonly modifiedAt: number;
}

/**
 * Returns the content of the journal of an input; undefined if there is none. Creates, locks and
 * changes nothing. Throws a usage Failure if it is damaged or belongs to another input, and an io
 * Failure if it can't be read.
 */
export function readJournal(ref: JournalRef): StoredJournal | undefined {
  const { name, rows, suffix } = ref;
  const file = journalFile(ref);
  const found = readJournalFile({ name, rows, file });
  return found && viewOf(file, suffix, found);
}

/** Returns the journals of an input at its base URL: one for each store that was there. */
export function readJournals(ref: JournalRef): readonly StoredJournal[] {
  return listJournals(ref.folder)
    .filter(({ name }) => name === ref.name)
    .flatMap(
      ({ suffix }) => readJournal({ ...ref, ...(suffix !== undefined && { suffix }) }) ?? [],
    );
}

/** The parts of a journal's file name. */
export interface JournalFileName {
  readonly file: string;
  readonly name: string;
  readonly suffix: string | undefined;
}

const fileName = /^([0-9a-f]{32})(?:-([0-9a-z]+))?\.journal$/;

/** Returns the journals in `folder`, which may not exist. */
export function listJournals(folder: string): readonly JournalFileName[] {
  return namesIn(folder).flatMap((each) => {
    const [, name, suffix] = fileName.exec(each) ?? [];
    return name === undefined ? [] : [{ file: path.join(folder, each), name, suffix }];
  });
}

const lockName = /^([0-9a-f]{32})\.lock$/;

/** Returns the path of the lock of an input's journals. */
export function lockFileOf({ folder, name }: Pick<JournalRef, "folder" | "name">): string {
  return path.join(folder, `${name}.lock`);
}

/** Returns the names of the inputs in `folder` that have a lock. */
export function listLocks(folder: string): readonly string[] {
  return namesIn(folder).flatMap((each) => lockName.exec(each)?.[1] ?? []);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isSystemError(error, "ENOENT") || isSystemError(error, "ENOTDIR")) return [];
    throw journalIoFailure(folder, "read", error);
  }
}

/** Returns the path of a journal. */
export function journalFile({ folder, name, suffix }: Omit<JournalRef, "rows">): string {
  return path.join(folder, `${name}${suffix === undefined ? "" : `-${suffix}`}.journal`);
}

function viewOf(file: string, suffix: string | undefined, found: JournalContent): StoredJournal {
  const { rows, isFinished, storeId, key, modifiedAt } = found;
  return {
    file,
    suffix,
    key,
    modifiedAt,
    state: (row) => rows.state(row),
    isMarked: (row) => rows.isMarked(row),
    counts: rows.counts,
    isFinished,
    storeId,
  };
}
