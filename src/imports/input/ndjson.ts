import { type Line, LineSplitter } from "../../core/lines.ts";
import type { InputRecord, ReadRow } from "../types.ts";
import { excerpt } from "./fields.ts";
import { readJsonRow } from "./json-row.ts";
import { maxRowBytes, type RowOptions, type RowPosition, rowTooLong } from "./row.ts";
import type { InputText } from "./text.ts";

/** Yields the records of NDJSON, one NewPet per line. Skips blank lines. */
export async function* readNdjson(
  text: InputText,
  options: RowOptions,
): AsyncGenerator<Iterable<InputRecord>> {
  const lines = new LineSplitter(maxRowBytes, text.firstLine);
  let index = 0;
  const recordsOf = function* (ended: Iterable<Line>): Generator<InputRecord> {
    for (const { number, text: json } of ended) {
      if (json?.trim() === "") continue;
      yield { read: readLine(json, { index, line: number }, options), original: json ?? "" };
      index += 1;
    }
  };
  for await (const piece of text) yield recordsOf(lines.push(piece));
  if (text.fault === undefined) yield recordsOf(lines.end());
  else yield [{ read: { line: lines.number, ...text.fault, fatal: "content" }, original: "" }];
}

function readLine(json: string | undefined, position: RowPosition, options: RowOptions): ReadRow {
  const { index, line } = position;
  if (json === undefined) return { line, message: rowTooLong };
  return readJsonRow(json, position, options) ?? { line, ...notJson(json.trim(), index) };
}

function notJson(text: string, index: number) {
  const message = `must be a JSON object on one line, not ${excerpt(text)}`;
  if (index > 0 || !/^[[{]/.test(text)) return { message };
  const advice = text.startsWith("[")
    ? "for a JSON array, use --format json"
    : "for an array inside an object, use --format json and --items";
  return { message: `${message}; ${advice}`, cure: ["--format", "json"] };
}
