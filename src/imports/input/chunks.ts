import { createHash } from "node:crypto";
import { closeSync, fstatSync, read, type Stats, statSync } from "node:fs";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { Failure } from "../../core/errors.ts";
import { type OpenedFile, openNonBlocking, readFailure } from "./open.ts";

/** The bytes of a file in chunks. Passes after the first one yield only chunks with the same CRC as in that. */
export class InputChunks {
  readonly #file: OpenedFile;
  readonly #checksums: number[] = [];
  #stats: Stats;
  /** SHA-256 of all bytes, in hexadecimal; known when `firstPass` has ended. */
  hash = "";

  constructor(file: OpenedFile) {
    this.#file = file;
    this.#stats = fstatSync(file.descriptor);
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
    this.hash = hash.digest("hex");
  }

  /** Yields the same chunks again. Rejects with an io Failure instead of a chunk that has changed. */
  async *reread(
    file: Pick<OpenedFile, "descriptor" | "name"> = this.#file,
  ): AsyncGenerator<Buffer> {
    let index = 0;
    for await (const chunk of readChunks(file)) {
      if (crc32(chunk) !== this.#checksums[index]) throw this.#changed();
      index += 1;
      yield chunk;
    }
    if (index < this.#checksums.length) throw this.#changed();
  }

  /**
   * Looks at what is at the file's path, and reads it if its times, size or inode have changed. Rejects with an
   * io Failure if it is not what was read first; nothing there is fine, since the file is still open.
   */
  async assertUnchanged(): Promise<void> {
    const { name, path } = this.#file;
    const there = path === undefined ? undefined : statsAt(path);
    if (path === undefined || there === undefined) return;
    if (identity.every((key) => there[key] === this.#stats[key])) return;
    if (!there.isFile()) throw this.#changed();
    const descriptor = openNonBlocking(path);
    try {
      await Array.fromAsync(this.reread({ descriptor, name }));
    } finally {
      closeSync(descriptor);
    }
    this.#stats = there;
  }

  #changed(): Failure {
    return new Failure("io", `${this.#file.name} changed during the run`, {
      hints: ["restore it to finish the run, or send the changed file with --only-new"],
      retryable: false,
    });
  }
}

/** What changes when a file is written or replaced. A program that writes can restore its mtime, but not its ctime. */
const identity = ["dev", "ino", "size", "mtimeMs", "ctimeMs"] as const;

/** How many bytes are read, and checked for a change, at a time. */
const chunkSize = 256 * 1024;

const readAt = promisify(read);

/** Yields the bytes of a file in chunks; each overwrites the one before. Rejects with an io Failure. */
export async function* readChunks({
  descriptor,
  name,
}: Pick<OpenedFile, "descriptor" | "name">): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(chunkSize);
  for (let start = 0, size = chunkSize; size === chunkSize; start += size) {
    size = 0;
    try {
      for (let count = -1; count !== 0 && size < chunkSize; size += count)
        count = (await readAt(descriptor, buffer, size, chunkSize - size, start + size)).bytesRead;
    } catch (error) {
      throw readFailure(name, error);
    }
    if (size > 0) yield buffer.subarray(0, size);
  }
}

/** Returns the stats of `path`, or undefined if there are none. */
function statsAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
