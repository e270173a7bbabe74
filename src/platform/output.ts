import { closeSync, constants, fstatSync, openSync, statSync, writeSync } from "node:fs";
import { builtin } from "../builtin.ts";
import type { Output } from "./io.ts";
import { BrokenPipe, errorMessage, ioFailure, isSystemError } from "../core/errors.ts";

const readerGoneCodes = new Set(["EPIPE", "ECONNRESET", "ERR_STREAM_DESTROYED"]);

/** Standard output: a write rejects with ReaderGone, or with an io Failure that says what failed. */
export function resultOutput(fd: number, makeStream: MakeStream): Output {
  const write = writerOf(fd, makeStream);
  return describe(fd, makeStream, async (text) => {
    try {
      await write(text);
    } catch (error) {
      throw isReaderGone(error) ? new BrokenPipe() : writeFailure(error);
    }
  });
}

/** Standard error: where it can't be written there is nobody to tell. */
export function errorOutput(fd: number, makeStream: MakeStream): Output {
  const write = writerOf(fd, makeStream);
  return describe(fd, makeStream, (text) => write(text).catch(() => {}));
}

function describe(fd: number, makeStream: MakeStream, write: Output["write"]): Output {
  const isTTY = isTerminal(fd);
  return {
    isTTY,
    get columns() {
      return isTTY ? makeStream().columns || undefined : undefined;
    },
    write,
  };
}

function isReaderGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && readerGoneCodes.has(String(error.code));
}

function writeFailure(error: unknown): Error {
  return ioFailure(`standard output can't be written: ${errorMessage(error)}`, error);
}

/** What is needed of Node's own stream; it takes long to make, and most runs do without. */
export type MakeStream = () => NodeJS.WriteStream;

/** A pipe takes this many bytes in one piece, and one that nobody has filled yet at once (POSIX, PIPE_BUF). */
const atOnce = 4096;

/**
 * Writes texts to `fd`, in order; each write resolves when the system has taken it whole. The first
 * one, where it is short, and all to a file go without Node's stream.
 */
function writerOf(fd: number, makeStream: MakeStream): (text: string) => Promise<void> {
  let stream: NodeJS.WriteStream | undefined;
  let kind: Kind | undefined;
  return async (text) => {
    const bytes = Buffer.from(text);
    const isFirst = kind === undefined;
    kind ??= kindOf(fd);
    if (kind === "file") return writeWhole(fd, bytes);
    const done = isFirst && bytes.length <= atOnce ? writeNow(fd, kind, bytes) : 0;
    if (done === bytes.length) return undefined;
    stream ??= makeStream().on("error", () => {});
    return writeTo(stream, bytes.subarray(done));
  };
}

// Node's stream for a file takes one short write for the whole, as on a disk that is nearly full.
function writeWhole(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}

/** Writes what there is room for without a wait, and answers how many bytes that were. */
function writeNow(fd: number, kind: Kind, bytes: Uint8Array): number {
  return kind === "pipe" ? writeToPipe(fd, bytes) : writeIfRoom(fd, bytes);
}

// What others wrote may fill a pipe, and who waits in a write hears no signal. To make the pipe itself
// one that does not wait would do so to all who share it: only Linux opens it anew (proc_pid_fd(5)).
function writeToPipe(fd: number, bytes: Uint8Array): number {
  let own: number;
  try {
    own = openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return 0;
  }
  try {
    return writeIfRoom(own, bytes);
  } finally {
    closeSync(own);
  }
}

function writeIfRoom(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    if (isSystemError(error, "EAGAIN")) return 0;
    throw error;
  }
}

function writeTo(stream: NodeJS.WriteStream, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/** Anything that takes all at once counts as a file. */
type Kind = "file" | "pipe" | "other";

function kindOf(fd: number): Kind {
  const found = fstatSync(fd);
  if (found.isFIFO()) return "pipe";
  return found.isFile() || (found.isCharacterDevice() && !isTerminal(fd)) ? "file" : "other";
}

/** Whether the stream `fd` is a terminal. Loads Node's module for terminals only where it may be one. */
export function isTerminal(fd: number): boolean {
  try {
    const found = fstatSync(fd);
    return found.isCharacterDevice() && !isNull(found.rdev) && builtin("node:tty").isatty(fd);
  } catch {
    return false;
  }
}

let nullDevice: number | undefined;

/** Whether `device` is the one that swallows all: the usual one in jobs that have no terminal. */
function isNull(device: number): boolean {
  nullDevice ??= statSync("/dev/null", { throwIfNoEntry: false })?.rdev ?? -1;
  return device === nullDevice;
}
