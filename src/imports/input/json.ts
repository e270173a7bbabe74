import { type Line, LineSplitter } from "../../core/lines.ts";
import { parseExact } from "../../core/json/parse.ts";
import type { NewPet } from "../../core/pet.ts";
import type { InputRecord, RowFault } from "../types.ts";
import { excerpt, quote } from "./fields.ts";
import {
  type ElementsFault,
  type JsonElement,
  JsonElements,
  type TextPlace,
} from "./json-elements.ts";
import { jsonFaultAt } from "./json-fault.ts";
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
  return { message: `${message}; ${advice}`, cure: ["--format", "json"] };
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
  const fail = (fault: RowFault): InputRecord => {
    isDone = true;
    const place = elements.hasBegun ? { textLine: elements.line } : {};
    return { read: { ...place, ...fault, line: index + 1, fatal: "content" }, original: "" };
  };
  const recordOf = (element: JsonElement): InputRecord => {
    const { text: json = "" } = element;
    const read = rowAt(index, index + 1, parseJson(element.text, options) ?? faultIn(element));
    index += 1;
    if ("pet" in read) return { read, original: json.trim() };
    isDone = read.fatal !== undefined;
    const { line: textLine } = placeIn(element, json.search(/[^ \t\r\n]/));
    return { read: { textLine, ...read }, original: json.trim() };
  };
  const recordsOf = function* (found: Iterable<JsonElement>): Generator<InputRecord> {
    for (const element of found) {
      yield recordOf(element);
      if (isDone) return;
    }
    if (elements.fault !== undefined) yield fail(describe(elements.fault, options.items));
  };
  for await (const piece of text) {
    yield recordsOf(elements.push(piece));
    if (isDone) return;
  }
  if (text.fault !== undefined) yield [fail(text.fault)];
  else if (elements.isBlank)
    yield [fail({ message: "is empty: it must be a JSON array, such as []" })];
  else yield recordsOf(elements.end());
}

/** Returns what is wrong with an element that is not JSON. */
function faultIn(element: JsonElement): RowFault {
  const { text = "" } = element;
  const at = jsonFaultAt(text);
  const place = placeIn(element, at);
  const fault = describe({ reason: "syntax", ...place, char: text[at] }, undefined);
  return { ...fault, textLine: place.line, fatal: "content" };
}

/** Returns the place in the file of an index in an element. */
function placeIn({ text = "", line, column }: JsonElement, at: number): TextPlace {
  const before = text.slice(0, Math.max(0, at)).split("\n");
  const { length } = before.at(-1) ?? "";
  return { line: line + before.length - 1, column: length + (before.length === 1 ? column : 1) };
}

function describe(fault: ElementsFault, items: string | undefined): RowFault {
  const { reason, line, column, char, path = "" } = fault;
  if (reason === "isArray") return { message: "is a JSON array itself: leave out --items" };
  if (reason === "object")
    return {
      message: `must be a JSON array of animals, not an object with an array ${quote(path)}`,
      cure: ["--items", path],
    };
  if (reason === "notArray" && items !== undefined)
    return { message: `has no array ${quote(items)}, which --items names` };
  if (reason === "notArray")
    return {
      message: "must be a JSON array of animals; for one animal per line, use --format ndjson",
      cure: ["--format", "ndjson"],
    };
  const what = char === undefined ? "end of file" : quote(char);
  const where = `line ${line}, column ${column}`;
  return {
    message: `is not valid JSON: unexpected ${what} (${where}); the rest of the file was not read`,
  };
}
