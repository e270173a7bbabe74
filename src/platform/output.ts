import { fstatSync, writeSync } from "node:fs";
import { BrokenPipe, errorMessage, ioFailure, isSystemError } from "../core/errors.ts";
import type { Output } from "./io.ts";

interface OutputSource {
  /** Returns Node's stream; making it takes longer than a short command. */
  readonly stream: () => NodeJS.WriteStream;
  /** Returns whether a write may block the process, because nothing else needs to run. */
  readonly mayBlock: () => boolean;
  readonly isatty: (fd: number) => boolean;
}

const readerGoneCodes = ["EPIPE", "ECONNRESET", "ERR_STREAM_DESTROYED"];

/** Returns standard output: a write rejects with BrokenPipe, or with an io Failure that says what failed. */
export function resultOutput(fd: number, source: OutputSource): Output {
  return outputTo(fd, source, (error) => {
    if (readerGoneCodes.some((code) => isSystemError(error, code))) throw new BrokenPipe();
    throw ioFailure(`cannot write to standard output: ${errorMessage(error)}`, error);
  });
}

/** Returns standard error: its writes never reject, as there is nowhere else to report the error. */
export function errorOutput(fd: number, source: OutputSource): Output {
  return outputTo(fd, source, () => {});
}

function outputTo(fd: number, source: OutputSource, onError: (error: unknown) => void): Output {
  const isTTY = isTerminal(fd, source.isatty);
  const write = writerOf(fd, source);
  return {
    isTTY,
    get columns() {
      return isTTY ? source.stream().columns || undefined : undefined;
    },
    write: (text) => write(text).catch(onError),
  };
}

/** Writes texts to `fd` in order, without Node's stream for files (it may lose a part) and where writes may block. */
function writerOf(fd: number, source: OutputSource): (text: string) => Promise<void> {
  let stream: NodeJS.WriteStream | undefined;
  let isFile: boolean | undefined;
  return async (text) => {
    const bytes = Buffer.from(text);
    isFile ??= isFileOrDevice(fd, source);
    const isSync = stream === undefined && (isFile || source.mayBlock());
    const written = isSync ? writeWhole(fd, bytes) : 0;
    if (written === bytes.length) return undefined;
    const to = (stream ??= source.stream().on("error", () => {}));
    return new Promise((resolve, reject) => {
      to.write(bytes.subarray(written), (error) => (error ? reject(error) : resolve()));
    });
  };
}

/** Writes `bytes`, and returns how many of them the system took before the write would have blocked. */
function writeWhole(fd: number, bytes: Uint8Array): number {
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(fd, bytes, written);
  } catch (error) {
    // Another process that shares this pipe made it non-blocking for all.
    if (!isSystemError(error, "EAGAIN")) throw error;
  }
  return written;
}

/** Returns whether `fd` is a file, or a device such as /dev/null, which takes all at once. */
function isFileOrDevice(fd: number, { isatty }: OutputSource): boolean {
  const found = fstatSync(fd);
  return found.isFile() || (found.isCharacterDevice() && !isTerminal(fd, isatty));
}

/** Returns whether the stream `fd` is a terminal; `isatty` is only called for devices. False if it is closed. */
export function isTerminal(fd: number, isatty: OutputSource["isatty"]): boolean {
  try {
    return fstatSync(fd).isCharacterDevice() && isatty(fd);
  } catch {
    return false;
  }
}
