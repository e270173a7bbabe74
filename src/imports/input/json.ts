import { type Line, LineSplitter } from "../../core/lines.ts";
import { parseExact } from "../../core/json/parse.ts";
import type { NewPet } from "../../core/pet.ts";
import type { InputRecord, RowFault } from "../types.ts";
import { excerpt } from "./fields.ts";
import { JsonElements } from "./json-elements.ts";
import { faultIn, type JsonElement, placeIn } from "./json-fault.ts";
import { maxRowBytes, parseValue, rowAt, type RowOptions, rowTooLong } from "./row.ts";
import type { InputText } from "./text.ts";

/** Yields the records of NDJSON, one NewPet per line. Skips blank lines. */
export async function* readNdjson(
  text: InputText,
  options: RowOptions,
): AsyncGenerator<Iterable<InputRecord>> {
  const lines = new LineSplitter(maxRowBytes);
  let index = 0;
  const recordsOf = function* (ended: Iterable<Line>): Generator<InputRecord> {
    for (const { number, text: json } of ended) {
      if (json?.trim() === "") continue;
      const found = parseJson(json, options) ?? notJson(json ?? "", index);
      yield { read: rowAt(index, number, found), original: json ?? "" };
      index += 1;
    }
  };
  for await (const piece of text) yield recordsOf(lines.push(piece));
  if (text.fault === undefined) yield recordsOf(lines.end());
  else yield [{ read: { line: lines.number, ...text.fault, fatal: "content" }, original: "" }];
}

/** Returns the animal of a JSON text, or what is wrong with it; undefined if it is not JSON. */
function parseJson(json: string | undefined, options: RowOptions): NewPet | RowFault | undefined {
  if (json === undefined) return rowTooLong;
  let value: unknown;
  try {
    value = parseExact(json);
  } catch {
    return undefined;
  }
  return parseValue(value, options);
}

function notJson(line: string, index: number): RowFault {
  const text = line.trim();
  const message = `must be a JSON object on one line, not ${excerpt(text)}`;
  if (index > 0 || !/^[[{]/.test(text)) return { message };
  const advice = text.startsWith("[")
    ? "for a JSON array, use --format json"
    : "for an array inside an object, use --format json and --items";
  return { message: `${message}; ${advice}`, cure: [["--format", "json"]] };
}

/**
 * Yields the records of a JSON array of NewPets, or of the one at `options.items`; the line of each is its
 * position in the array, from 1.
 */
export async function* readJson(
  text: InputText,
  options: RowOptions,
): AsyncGenerator<Iterable<InputRecord>> {
  const elements = new JsonElements(options.items);
  let index = 0;
  let isDone = false;
  const recordsOf = function* (found: Iterable<JsonElement>): Generator<InputRecord> {
    for (const element of found) {
      const record = recordOf(element, index, options);
      index += 1;
      yield record;
      if ("fatal" in record.read) return void (isDone = true);
    }
    isDone = elements.fault !== undefined;
    if (elements.fault !== undefined)
      yield { read: { fatal: "content", ...elements.fault, line: index + 1 }, original: "" };
  };
  for await (const piece of text) {
    yield recordsOf(elements.push(piece));
    if (isDone) return;
  }
  yield recordsOf(elements.end(text.fault));
}

function recordOf(element: JsonElement, index: number, options: RowOptions): InputRecord {
  const { text } = element;
  const read = rowAt(index, index + 1, parseJson(text, options) ?? faultIn(element));
  const original = text?.trim() ?? "";
  if ("pet" in read) return { read, original };
  const { line: textLine } = placeIn(element, text?.search(/[^ \t\r\n]/) ?? 0);
  return { read: { textLine, ...read }, original };
}
