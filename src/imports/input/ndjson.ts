import { type Line, LineSplitter } from "../../core/lines.ts";
import { isRecord, parseExact } from "../../core/json/parse.ts";
import type { NewPet } from "../../core/pet.ts";
import type { InputRecord, RowFault } from "../types.ts";
import { excerpt } from "./fields.ts";
import { repeatedKey } from "./json-fault.ts";
import { maxRowBytes, parseValue, rowAt, type RowOptions, rowTooLong } from "./row.ts";
import type { RecordReader } from "./text.ts";

/** Reads NDJSON, one NewPet per line. Skips blank lines. */
export class NdjsonReader implements RecordReader {
  readonly #options: RowOptions;
  readonly #lines = new LineSplitter(maxRowBytes);
  #index = 0;

  constructor(options: RowOptions) {
    this.#options = options;
  }

  push(piece: string): Generator<InputRecord> {
    return this.#recordsOf(this.#lines.push(piece));
  }

  *end(fault?: RowFault): Generator<InputRecord> {
    if (fault === undefined) yield* this.#recordsOf(this.#lines.end());
    else yield { read: { line: this.#lines.number, ...fault, fatal: "content" }, original: "" };
  }

  *#recordsOf(lines: Iterable<Line>): Generator<InputRecord> {
    for (const { number, text } of lines) {
      if (text?.trim() === "") continue;
      const found = parseJson(text, this.#options) ?? notJson(text ?? "", this.#index);
      yield { read: rowAt(this.#index, number, found), original: text ?? "" };
      this.#index += 1;
    }
  }
}

/** Returns the animal of a JSON text, or what is wrong with it; undefined if it is not JSON. */
export function parseJson(
  json: string | undefined,
  options: RowOptions,
): NewPet | RowFault | undefined {
  if (json === undefined) return rowTooLong;
  let value: unknown;
  try {
    value = parseExact(json);
  } catch {
    return undefined;
  }
  // Nested keys count only where `--map` can read them.
  const depth = options.columnMap?.size ? Number.POSITIVE_INFINITY : 1;
  const repeated = isRecord(value) ? repeatedKey(json, value, depth) : undefined;
  if (repeated !== undefined) return { field: excerpt(repeated), message: "is given twice" };
  return parseValue(value, options);
}

function notJson(line: string, index: number): RowFault {
  const text = line.trim();
  const message = `must be a JSON object on one line, not ${excerpt(text)}`;
  return index === 0 && /^[[{]/.test(text)
    ? { message, cure: [["--format", "json"]] }
    : { message };
}
