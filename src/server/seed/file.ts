import { createReadStream } from "node:fs";
import { maxSeed } from "../../core/api.ts";
import { errorMessage, Failure, ioFailure, usageFailure } from "../../core/errors.ts";
import { type Line, LineSplitter } from "../../core/lines.ts";
import type { NewPet } from "../../core/pet.ts";
import { ApiError } from "../api/errors.ts";
import { maxRequestBytes, parseNewPet } from "../api/pet-json.ts";

/** Matches a line of spaces, also after the bytes of U+FEFF. */
const blank = /^(?:\u00ef\u00bb\u00bf)?[ \t]*$/;

/** Returns the animals of an NDJSON file, checked as in a POST, and whether a row has an id. Throws a Failure. */
export async function readSeedFile(file: string, signal: AbortSignal) {
  const splitter = new LineSplitter(2 * maxRequestBytes);
  const pets: NewPet[] = [];
  let hasIds = false;
  const take = ({ number, text }: Line): void => {
    const invalid = (why: string) => usageFailure(`--seed ${file}, line ${number}: ${why}`);
    if (text !== undefined && blank.test(text)) return;
    if (text === undefined || text.length > maxRequestBytes)
      throw invalid(`the row must be ${maxRequestBytes} bytes at most`);
    if (pets.length === maxSeed) throw invalid(`more than ${maxSeed} animals`);
    hasIds ||= /"id"\s*:/.test(text);
    try {
      pets.push(parseNewPet(Buffer.from(text, "latin1"), "the row"));
    } catch (error) {
      throw error instanceof ApiError ? invalid(error.message) : error;
    }
  };
  try {
    // As Latin-1 each character stands for a byte, so that lines are cut before they are decoded.
    const bytes = createReadStream(file, { encoding: "latin1", signal });
    for await (const chunk of bytes) for (const line of splitter.push(String(chunk))) take(line);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Failure) throw error;
    throw ioFailure(`--seed ${file} cannot be read: ${errorMessage(error)}`, error);
  }
  for (const line of splitter.end()) take(line);
  return { pets, hasIds };
}
