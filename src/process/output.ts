import { fstatSync, writeSync } from "node:fs";
import { isatty } from "node:tty";
import { ioFailure, ReaderGone, reasonOf } from "../errors.ts";
import type { Output } from "../io.ts";

/** What is needed of Node's own stream; it is only made when a pipe or a terminal is written to. */
type MakeStream = () => NodeJS.WriteStream;

const readerGoneCodes = new Set(["EPIPE", "ECONNRESET", "ERR_STREAM_DESTROYED"]);

/** Standard output: a write rejects with ReaderGone, or with an io Failure that says what failed. */
export function resultOutput(fd: number, makeStream: MakeStream): Output {
  const write = writerOf(fd, makeStream);
  return describe(fd, makeStream, async (text) => {
    try {
      await write(text);
    } catch (error) {
      throw isReaderGone(error) ? new ReaderGone() : writeFailure(error);
    }
  });
}

/** Standard error: where it can't be written there is nobody to tell. */
export function errorOutput(fd: number, makeStream: MakeStream): Output {
  const write = writerOf(fd, makeStream);
  return describe(fd, makeStream, (text) => write(text).catch(() => {}));
}

function describe(fd: number, makeStream: MakeStream, write: Output["write"]): Output {
  const isTTY = isatty(fd);
  return {
    isTTY,
    get columns() {
      return isTTY ? makeStream().columns || undefined : undefined;
    },
    write,
  };
}

function writerOf(fd: number, makeStream: MakeStream): (text: string) => Promise<void> {
  let stream: NodeJS.WriteStream | undefined;
  return (text) => {
    if (stream === undefined && isFile(fd)) return writeWhole(fd, text);
    stream ??= makeStream().on("error", () => {});
    return writeTo(stream, text);
  };
}

// Node's stream for a file takes one short write for the whole, as on a disk that is nearly full.
async function writeWhole(fd: number, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}

function writeTo(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

function isFile(fd: number): boolean {
  const kind = fstatSync(fd);
  return kind.isFile() || (kind.isCharacterDevice() && !isatty(fd));
}

function isReaderGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && readerGoneCodes.has(String(error.code));
}

function writeFailure(error: unknown): Error {
  return ioFailure(`standard output can't be written: ${reasonOf(error)}`, error);
}
