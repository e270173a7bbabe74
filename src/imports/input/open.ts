import { type Hash, randomUUID } from "node:crypto";
import fs from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { errorMessage, Failure, ioFailure, orIoFailure } from "../../core/errors.ts";

// A standard input that is a socket can't be opened by these names.
const standardInput = new Set(["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]);

/** Opens a file; copies what can be read only once. Rejects with an io Failure that names it, or the signal's reason. */
export async function openFile(
  file: string,
  stdin: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<InputFile> {
  if (standardInput.has(file)) return spool(stdin, "standard input", signal);
  // Without waiting for a FIFO's writer, as nothing could end that wait.
  const flags = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK;
  const fd = orIoFailure(`cannot read ${file}`, () => fs.openSync(file, flags));
  const stats = fs.fstatSync(fd);
  if (stats.isFile()) return new InputFile(fd, file, file);
  if (stats.isFIFO() || stats.isSocket())
    return spool(new Socket({ fd, readable: true, writable: false }), file, signal);
  fs.closeSync(fd);
  return spool(fs.createReadStream(file), file, signal);
}

/** Copies `source` into a file of mode 0600 that has no name any more, so that nothing is left in any case. */
async function spool(source: AsyncIterable<Uint8Array>, name: string, signal: AbortSignal) {
  const copy = path.join(tmpdir(), `pets-${randomUUID()}`);
  const problem = `the temporary file ${copy} for ${name} cannot be written`;
  const fd = orIoFailure(problem, () => fs.openSync(copy, "wx+", 0o600));
  const write = async (chunks: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const bytes of chunks) orIoFailure(problem, () => fs.writeFileSync(fd, bytes));
  };
  try {
    orIoFailure(problem, () => fs.unlinkSync(copy));
    await pipeline(source, write, { signal });
    return new InputFile(fd, name);
  } catch (error) {
    fs.closeSync(fd);
    signal.throwIfAborted();
    if (error instanceof Failure) throw error;
    throw ioFailure(`cannot read ${name}: ${errorMessage(error)}`, error);
  }
}

/** What changes when a file is written or replaced; its ctime changes with its mode and links too. */
const identity = ["dev", "ino", "size", "mtimeNs"] as const;

/** The bytes of each chunk of a file; the last one may have fewer. */
export const chunkSize = 8 * 1024;

/** A file that can be read more than once. */
export class InputFile {
  readonly name: string;
  /** Its path; undefined for a private copy. */
  readonly path: string | undefined;
  readonly #descriptor: number;
  readonly #stats;

  constructor(descriptor: number, name: string, file?: string) {
    this.#descriptor = descriptor;
    this.name = name;
    this.path = file;
    this.#stats = fs.fstatSync(descriptor, { bigint: true });
  }

  /** Yields the bytes in chunks, each of which overwrites the one before, and adds them to a hash. Throws an io Failure. */
  *chunks(hash?: Hash): Generator<Buffer> {
    const buffer = Buffer.allocUnsafe(chunkSize);
    const readAt = (place: number): number =>
      this.#attempt(() => fs.readSync(this.#descriptor, buffer, 0, chunkSize, place));
    for (let [place, size] = [0, readAt(0)]; size > 0; size = readAt(place)) {
      place += size;
      const chunk = buffer.subarray(0, size);
      hash?.update(chunk);
      yield chunk;
    }
  }

  /** Throws an io Failure if another file is at its path now; none there is fine, since it is still open. */
  assertUnchanged(): void {
    const { path: file } = this;
    if (file === undefined) return;
    const there = this.#attempt(() => fs.statSync(file, { bigint: true, throwIfNoEntry: false }));
    if (there === undefined || identity.every((key) => there[key] === this.#stats[key])) return;
    throw new Failure("io", `${this.name} changed during the run`, {
      hints: ["Restore it to finish the run, or send the changed file with `--only-new`."],
      retryable: false,
    });
  }

  close(): void {
    fs.closeSync(this.#descriptor);
  }

  #attempt<T>(step: () => T): T {
    return orIoFailure(`cannot read ${this.name}`, step);
  }
}
