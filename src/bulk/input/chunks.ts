import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { Failure } from "../../core/errors.ts";
import type { OpenedFile } from "./open.ts";
import {
  pathMatchesChecksums,
  readChunks,
  fileIdentity,
  fileMatchesChecksums,
} from "./input-read.ts";

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
