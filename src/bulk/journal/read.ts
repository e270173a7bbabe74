import { closeSync, constants, fchmodSync, fstatSync, openSync, readSync } from "node:fs";
import { isSystemError, groupOtherMask } from "../../platform/private-files.ts";
import { journalIoFailure } from "./errors.ts";
import { type JournalIdentity, Replay, type Replayed } from "./replay.ts";

const chunkBytes = 256 * 1024;

// A link could lead out of the folder, and a pipe would never open. Windows knows neither flag.
const careful = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** What the journal at `expected.file` comes to; undefined where there is none. Makes and changes nothing. */
export function readJournalFile(expected: JournalIdentity): Replayed | undefined {
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
