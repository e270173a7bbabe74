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
 * The bytes of a file in chunks. When they are read for the first time, a CRC of each is kept; from
 * then on none is handed out that has another.
 */
export class InputChunks {
  readonly #file: OpenedFile;
  readonly #checksums: number[] = [];
  #stamp: string;
  #hash = "";

  constructor(file: OpenedFile) {
    this.#file = file;
    this.#stamp = fileIdentity(file);
  }

  /** SHA-256 of all bytes, in hexadecimal; known when `first` came to its end. */
  get hash(): string {
    return this.#hash;
  }

  /** The chunks for the first time. Rejects with an io Failure, or the signal's reason. */
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

  /** The same chunks once more. Rejects with an io Failure in place of one that has changed. */
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
   * Looks at the file's date, size and place, and at its bytes where those tell of a change. Throws
   * an io Failure when the bytes are others than at first.
   */
  assertUnchanged(): void {
    const stamp = fileIdentity(this.#file);
    if (stamp === this.#stamp) return;
    const { name, path, descriptor } = this.#file;
    const isSame =
      fileMatchesChecksums(descriptor, this.#checksums) &&
      (path === undefined || pathMatchesChecksums(path, this.#checksums));
    if (!isSame) throw changed(name);
    this.#stamp = stamp;
  }
}

function changed(name: string): Failure {
  return new Failure("io", `${name} was changed under the run`, {
    hints: [
      "put it back as it was to finish the run: changed, it is a new input, and all of it is added",
    ],
    retryable: false,
  });
}

/** How many bytes are read, and checked for a change, at once. */
const chunkSize = 256 * 1024;

const readAt = promisify(read);

/**
 * The bytes of a file in whole chunks, the last one excepted; each is overwritten by the next.
 * Rejects with an io Failure.
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
 * Whether the file at `place` holds chunks of these CRCs; true where none can be opened there, false
 * where something else than a file is.
 */
function pathMatchesChecksums(place: string, sums: readonly number[]): boolean {
  let descriptor: number;
  try {
    // A FIFO would be waited for.
    descriptor = openSync(place, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return true;
  }
  try {
    return fstatSync(descriptor).isFile() && fileMatchesChecksums(descriptor, sums);
  } finally {
    closeSync(descriptor);
  }
}

/** Whether an open file holds chunks of these CRCs, and no more. Throws what the system says. */
function fileMatchesChecksums(descriptor: number, sums: readonly number[]): boolean {
  const chunk = Buffer.allocUnsafe(chunkSize);
  for (let index = 0; ; index += 1) {
    const size = readFully(descriptor, chunk, index * chunkSize);
    if (size === 0) return index === sums.length;
    if (crc32(chunk.subarray(0, size)) !== sums[index]) return false;
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
 * What changes when a file is written, or another one is put in its place; empty for a copy that
 * nobody else sees.
 */
function fileIdentity({ descriptor, path }: OpenedFile): string {
  if (path === undefined) return "";
  const opened = fstatSync(descriptor, { bigint: true });
  const there = statsAt(path) ?? opened;
  // A program that writes may set the former date again, but not that of the change.
  return [opened.mtimeNs, opened.ctimeNs, opened.size, there.dev, there.ino].join(" ");
}

/** What is at `path`; undefined where nothing can be reached there. */
function statsAt(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
