import { createReadStream } from "node:fs";
import { maxSeed } from "../../core/api.ts";
import { errorMessage, Failure, ioFailure, usageFailure } from "../../core/errors.ts";
import { LineSplitter } from "../../core/lines.ts";
import type { NewPet } from "../../core/pet.ts";
import { ApiError } from "../api/errors.ts";
import { maxRequestBytes, parseNewPet } from "../api/pet-json.ts";

const blank = /^[ \t]*$/;
/** The bytes of U+FEFF: in this file each character stands for a byte, so that lines are cut before they are decoded. */
const byteOrderMark = "\u00ef\u00bb\u00bf";

/**
 * Returns the animals of an NDJSON file, one NewPet per line, checked like the bodies of `POST /pets`.
 * Blank lines, CRLF and a byte-order mark are accepted. Throws a usage Failure that names the file,
 * the line and the field of an invalid row, and an io Failure if the file can't be read.
 */
export async function readSeedFile(file: string, signal: AbortSignal): Promise<readonly NewPet[]> {
  const splitter = new LineSplitter(2 * (byteOrderMark.length + maxRequestBytes));
  const pets: NewPet[] = [];
  const take = (lines: ReturnType<LineSplitter["end"]>): void => {
    for (const { number, text } of lines) {
      const isMarked = number === 1 && text?.startsWith(byteOrderMark) === true;
      const row = isMarked ? text.slice(byteOrderMark.length) : text;
      if (row === undefined || !blank.test(row)) pets.push(readRow(row, file, number));
      if (pets.length > maxSeed) throw rowFailure(file, number, `more than ${maxSeed} animals`);
    }
  };
  try {
    const bytes = createReadStream(file, { encoding: "latin1", signal });
    for await (const chunk of bytes) take(splitter.push(String(chunk)));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Failure) throw error;
    throw ioFailure(`--seed ${file} cannot be read: ${errorMessage(error)}`, error);
  }
  take(splitter.end());
  return pets;
}

function readRow(row: string | undefined, file: string, line: number): NewPet {
  if (row === undefined || row.length > maxRequestBytes)
    throw rowFailure(file, line, `the row must be ${maxRequestBytes} bytes at most`);
  try {
    return parseNewPet(Buffer.from(row, "latin1"), "the row");
  } catch (error) {
    throw error instanceof ApiError ? rowFailure(file, line, error.message) : error;
  }
}

function rowFailure(file: string, line: number, message: string): Failure {
  return usageFailure(`--seed ${file}, line ${line}: ${message}`);
}
