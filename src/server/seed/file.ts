import { createReadStream } from "node:fs";
import type { NewPet } from "../../core/pet.ts";
import { type Failure, ioFailure, errorMessage, usageFailure } from "../../core/errors.ts";
import { maxRequestBytes } from "../http/body.ts";
import { InvalidPet, parseNewPet } from "../routes/pet-json.ts";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const blank = /^[ \t\r]*$/;
const bomBytes = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * The animals of an NDJSON file, a NewPet a line, checked like the bodies of `POST /pets`. Blank
 * lines, CRLF and a byte-order mark are fine. Throws a usage Failure that names the file, the line
 * and the field of an invalid row, and an io Failure where the file can't be read.
 */
export async function* seedFile(file: string): AsyncGenerator<NewPet> {
  let number = 0;
  for await (const line of linesOf(file)) {
    number += 1;
    const bytes = number === 1 ? withoutByteOrderMark(line) : line;
    if (!blank.test(bytes.toString("latin1"))) yield readRow(bytes, file, number);
  }
}

function withoutByteOrderMark(line: Buffer): Buffer {
  const { length } = bomBytes;
  return line.subarray(0, length).equals(bomBytes) ? line.subarray(length) : line;
}

function readRow(bytes: Buffer, file: string, line: number): NewPet {
  if (bytes.length > maxRequestBytes)
    throw rowFailure(file, line, `the row must be ${maxRequestBytes} bytes at most`);
  try {
    return parseNewPet(bytes);
  } catch (error) {
    if (!(error instanceof InvalidPet)) throw error;
    throw rowFailure(file, line, error.message.replace(/^the body/, "the row"));
  }
}

function rowFailure(file: string, line: number, message: string): Failure {
  return usageFailure(`--seed ${file}, line ${line}: ${message}`);
}

/** The lines of a file without their ends; of one that is far too long only its beginning. */
async function* linesOf(file: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunksOf(file)) {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      yield withoutReturn(Buffer.concat([rest, chunk.subarray(from, end)]));
      rest = Buffer.alloc(0);
      from = end + 1;
    }
    if (rest.length <= maxRequestBytes) rest = Buffer.concat([rest, chunk.subarray(from)]);
  }
  if (rest.length > 0) yield withoutReturn(rest);
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
}

async function* chunksOf(file: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(file);
  } catch (error) {
    throw ioFailure(`--seed ${file} can't be read: ${errorMessage(error)}`, error);
  }
}
