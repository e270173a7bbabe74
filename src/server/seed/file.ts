import { readFile } from "node:fs/promises";
import { maxSeed } from "../../core/api.ts";
import { errorMessage, type Failure, ioFailure, usageFailure } from "../../core/errors.ts";
import type { NewPet } from "../../core/pet.ts";
import { ApiError } from "../api/errors.ts";
import { maxRequestBytes, parseNewPet } from "../api/pet-json.ts";

/**
 * Returns the animals of an NDJSON file, one NewPet per line, checked like the bodies of `POST /pets`.
 * Blank lines, CRLF and a byte-order mark are accepted. Throws a usage Failure that names the file,
 * the line and the field of an invalid row, and an io Failure if the file can't be read.
 */
export async function readSeedFile(file: string, signal: AbortSignal): Promise<readonly NewPet[]> {
  // Each character stands for a byte, because a row is decoded by itself.
  const text = await readFile(file, { encoding: "latin1", signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw ioFailure(`--seed ${file} cannot be read: ${errorMessage(error)}`, error);
  });
  const rows = text.replace(/^\u00ef\u00bb\u00bf/, "").split(/\r?\n/);
  const pets: NewPet[] = [];
  for (const [at, row] of rows.entries()) {
    if (/[^ \t]/.test(row)) pets.push(readRow(row, file, at + 1));
    if (pets.length > maxSeed) throw rowFailure(file, at + 1, `more than ${maxSeed} animals`);
  }
  return pets;
}

function readRow(row: string, file: string, line: number): NewPet {
  if (row.length > maxRequestBytes)
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
