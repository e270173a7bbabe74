import { createHash } from "node:crypto";
import { closeSync, fstatSync, readSync, type Stats, statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { Failure, orIoFailure } from "../../core/errors.ts";
import { type OpenedFile, openNonBlocking } from "./open.ts";

type ReadableFile = Pick<OpenedFile, "descriptor" | "name">;

/** The bytes of a file in chunks. */
export class InputChunks {
  readonly #file: OpenedFile;
  readonly #checksums: number[] = [];
  #stats: Stats;
  /** SHA-256 of all bytes, in hexadecimal; known when they have been read once. */
  hash = "";

  constructor(file: OpenedFile) {
    this.#file = file;
    this.#stats = fstatSync(file.descriptor);
  }

  /** Yields the chunks for the first time. Throws an io Failure. */
  *read(): Generator<Buffer> {
    const hash = createHash("sha256");
    for (const chunk of readChunks(this.#file)) {
      hash.update(chunk);
      this.#checksums.push(crc32(chunk));
      yield chunk;
    }
    this.hash = hash.digest("hex");
  }

  /** Yields the same chunks again. Throws an io Failure in place of one whose CRC has changed. */
  *reread(file: ReadableFile = this.#file): Generator<Buffer> {
    let index = 0;
    for (const chunk of readChunks(file)) {
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
    const chunks = this.reread({ descriptor, name });
    try {
      while (chunks.next().done !== true) await setImmediate();
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

/** Yields the bytes of a file in chunks; each overwrites the one before. Throws an io Failure. */
export function* readChunks({ descriptor, name }: ReadableFile): Generator<Buffer> {
  const buffer = Buffer.allocUnsafe(chunkSize);
  const readAt = (place: number, from: number): number =>
    orIoFailure(`cannot read ${name}`, () =>
      readSync(descriptor, buffer, from, chunkSize - from, place + from),
    );
  for (let place = 0, size = chunkSize; size === chunkSize; place += size) {
    size = 0;
    for (let count = -1; count !== 0 && size < chunkSize; size += count)
      count = readAt(place, size);
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
