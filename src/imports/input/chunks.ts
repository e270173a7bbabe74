import { createHash } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  openSync,
  read,
  readSync,
  statSync,
} from "node:fs";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { errorMessage, Failure } from "../../core/errors.ts";
import { type OpenedFile, readFailure } from "./open.ts";

/**
 * The bytes of a file in chunks. The first pass remembers a CRC of each chunk; later passes yield
 * only chunks with the same CRC.
 */
export class InputChunks {
  readonly #file: OpenedFile;
  readonly #checksums: number[] = [];
  #identity: string;
  #hash = "";

  constructor(file: OpenedFile) {
    this.#file = file;
    this.#identity = fileIdentity(file);
  }

  /** SHA-256 of all bytes, in hexadecimal; known when `firstPass` has ended. */
  get hash(): string {
    return this.#hash;
  }

  /** Yields the chunks for the first time. Rejects with an io Failure, or the signal's reason. */
  async *firstPass(signal: AbortSignal): AsyncGenerator<Buffer> {
    const hash = createHash("sha256");
    for await (const chunk of readChunks(this.#file)) {
      signal.throwIfAborted();
      hash.update(chunk);
      this.#checksums.push(crc32(chunk));
      yield chunk;
    }
    this.#hash = hash.digest("hex");
  }

  /** Yields the same chunks again. Rejects with an io Failure instead of a chunk that has changed. */
  async *reread(): AsyncGenerator<Buffer> {
    let index = 0;
    for await (const chunk of readChunks(this.#file)) {
      if (crc32(chunk) !== this.#checksums[index]) throw changed(this.#file.name);
      index += 1;
      yield chunk;
    }
    if (index < this.#checksums.length) throw changed(this.#file.name);
  }

  /**
   * Compares the file's times, size and inode, and its bytes if one of those has changed. Throws an
   * io Failure if the bytes are not those of the first pass.
   */
  assertUnchanged(): void {
    const identity = fileIdentity(this.#file);
    if (identity === this.#identity) return;
    const { name, path, descriptor } = this.#file;
    const isSame =
      fileMatchesChecksums(descriptor, this.#checksums) &&
      (path === undefined || pathMatchesChecksums(path, this.#checksums));
    if (!isSame) throw changed(name);
    this.#identity = identity;
  }
}

function changed(name: string): Failure {
  return new Failure("io", `${name} changed during the run`, {
    hints: ["restore it to finish the run, or send the changed file with --only-new"],
    retryable: false,
  });
}

/** How many bytes are read, and checked for a change, at a time. */
const chunkSize = 256 * 1024;

const readAt = promisify(read);

/**
 * Yields the bytes of a file in chunks of `chunkSize`, the last one shorter. Each chunk overwrites
 * the one before. Rejects with an io Failure.
 */
export async function* readChunks(file: OpenedFile): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(chunkSize);
  for (let start = 0; ;) {
    const chunk = await readChunk(file, start, buffer);
    if (chunk.length > 0) yield chunk;
    if (chunk.length < chunkSize) return;
    start += chunk.length;
  }
}

async function readChunk(
  { descriptor, name }: OpenedFile,
  start: number,
  chunk: Buffer,
): Promise<Buffer> {
  let size = 0;
  try {
    while (size < chunkSize) {
      const { bytesRead } = await readAt(descriptor, chunk, size, chunkSize - size, start + size);
      if (bytesRead === 0) break;
      size += bytesRead;
    }
  } catch (error) {
    throw readFailure(name, errorMessage(error), error);
  }
  return chunk.subarray(0, size);
}

/**
 * Returns whether the file at `path` has chunks with these CRCs. True if nothing can be opened there,
 * since the open descriptor still has the bytes; false for anything other than a file.
 */
function pathMatchesChecksums(path: string, checksums: readonly number[]): boolean {
  let descriptor: number;
  try {
    // Without O_NONBLOCK, opening a FIFO waits for its writer.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return true;
  }
  try {
    return fstatSync(descriptor).isFile() && fileMatchesChecksums(descriptor, checksums);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns whether an open file has exactly the chunks with these CRCs. Throws system errors. */
function fileMatchesChecksums(descriptor: number, checksums: readonly number[]): boolean {
  const chunk = Buffer.allocUnsafe(chunkSize);
  for (let index = 0; ; index += 1) {
    const size = readFully(descriptor, chunk, index * chunkSize);
    if (size === 0) return index === checksums.length;
    if (crc32(chunk.subarray(0, size)) !== checksums[index]) return false;
  }
}

function readFully(descriptor: number, chunk: Buffer, start: number): number {
  for (let size = 0; ;) {
    const count = readSync(descriptor, chunk, size, chunkSize - size, start + size);
    size += count;
    if (count === 0 || size === chunkSize) return size;
  }
}

/**
 * Returns a string that changes when the file is written or replaced; empty for a private copy.
 */
function fileIdentity({ descriptor, path }: OpenedFile): string {
  if (path === undefined) return "";
  const opened = fstatSync(descriptor, { bigint: true });
  const there = statsAt(path) ?? opened;
  // A program that writes to the file can restore its mtime, but not its ctime.
  return [opened.mtimeNs, opened.ctimeNs, opened.size, there.dev, there.ino].join(" ");
}

/** Returns the stats of `path`, or undefined if there are none. */
function statsAt(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
