import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { errorMessage, Failure, ioFailure, orIoFailure } from "../../core/errors.ts";

/** A file that can be read more than once. */
export interface OpenedFile {
  /** Its name in messages. */
  readonly name: string;
  readonly descriptor: number;
  /** Its path; left out for a private copy. */
  readonly path?: string;
  close(): void;
}

// A standard input that is a socket can't be opened by these names.
const standardInput = new Set(["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]);

/**
 * Opens a regular file directly. Copies anything else, which can be read only once, into a private
 * temporary file (`help bulk`). Rejects with an io Failure that names the file, or the signal's reason.
 */
export async function openFile(
  file: string,
  stdin: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<OpenedFile> {
  if (standardInput.has(file)) return spool(stdin, "standard input", signal);
  const descriptor = openNonBlocking(file);
  const stats = fstatSync(descriptor);
  if (!stats.isFile()) return spool(streamOf(file, descriptor, stats), file, signal);
  return { name: file, descriptor, path: file, close: () => closeSync(descriptor) };
}

/** Opens without waiting for a FIFO's writer, as nothing could end that wait. Throws an io Failure. */
export function openNonBlocking(file: string): number {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  return orIoFailure(`cannot read ${file}`, () => openSync(file, flags));
}

function streamOf(file: string, fd: number, stats: Stats): AsyncIterable<Uint8Array> {
  if (stats.isFIFO() || stats.isSocket())
    return new Socket({ fd, readable: true, writable: false });
  closeSync(fd);
  return createReadStream(file);
}

/** Copies `source` into a new file of mode 0600, which has no name any more, so that nothing is left in any case. */
async function spool(
  source: AsyncIterable<Uint8Array>,
  name: string,
  signal: AbortSignal,
): Promise<OpenedFile> {
  const copy = path.join(tmpdir(), `pets-${randomUUID()}`);
  const problem = `the temporary file ${copy} for ${name} cannot be written`;
  const descriptor = orIoFailure(problem, () => openSync(copy, "wx+", 0o600));
  orIoFailure(problem, () => unlinkSync(copy));
  const copyAll = async (): Promise<void> => {
    for await (const bytes of source) {
      if (signal.aborted) return;
      orIoFailure(problem, () => writeFileSync(descriptor, bytes));
    }
  };
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  try {
    signal.throwIfAborted();
    await Promise.race([copyAll(), aborted]);
    return { name, descriptor, close: () => closeSync(descriptor) };
  } catch (error) {
    closeSync(descriptor);
    if (signal.aborted || error instanceof Failure) throw error;
    throw ioFailure(`cannot read ${name}: ${errorMessage(error)}`, error);
  }
}
