import { closeSync, constants, createReadStream, fstatSync, openSync, type Stats } from "node:fs";
import { Socket } from "node:net";
import { type Failure, ioFailure, errorMessage } from "../../core/errors.ts";
import { spool } from "./input-spool.ts";

/** A file that can be read more than once. */
export interface OpenedFile {
  /** What it is called in messages. */
  readonly name: string;
  readonly descriptor: number;
  /** Where it is; left out where it is a copy that nobody else sees. */
  readonly path?: string;
  close(): void;
}

/** What is to be opened. */
export interface OpenRequest {
  /** A path, or `-` for standard input. */
  readonly file: string;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Where a copy is kept while it is needed. */
  readonly folder: string;
  /** Ends the copying. */
  readonly signal: AbortSignal;
}

// A service that is started with a socket for its standard input can't open it by these names.
const standardInput = new Set(["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]);

/**
 * Opens a regular file as it is, and copies all else, which can be read only once, into a private
 * temporary file (contract.md, Bulk, Checked first). Throws an io Failure that names the file.
 */
export async function openFile(request: OpenRequest): Promise<OpenedFile> {
  const { file, stdin } = request;
  if (standardInput.has(file)) return spool(stdin, "standard input", request);
  const descriptor = openNonBlocking(file);
  const stats = fstatSync(descriptor);
  if (stats.isFile())
    return { name: file, descriptor, path: file, close: () => closeSync(descriptor) };
  if (stats.isDirectory()) {
    closeSync(descriptor);
    throw readFailure(file, "it is a folder");
  }
  return spool(streamOf(file, descriptor, stats), file, request);
}

/** Does not wait for a FIFO's writer: nothing could end that, not even the end of the program. */
function openNonBlocking(file: string): number {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw readFailure(file, errorMessage(error), error);
  }
}

function streamOf(file: string, fd: number, stats: Stats): AsyncIterable<Uint8Array> {
  if (stats.isFIFO() || stats.isSocket())
    return new Socket({ fd, readable: true, writable: false });
  closeSync(fd);
  return createReadStream(file);
}

/** The io Failure of an input that can't be read. */
export function readFailure(name: string, reason: string, cause?: unknown): Failure {
  return ioFailure(`${name} can't be read: ${reason}`, cause);
}
