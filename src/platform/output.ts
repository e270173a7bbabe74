import { ioFailure, BrokenPipe, errorMessage } from "../core/errors.ts";
import type { Output } from "./io.ts";
import { isTerminal } from "./terminal.ts";
import { type MakeStream, writerOf } from "./writer.ts";

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
