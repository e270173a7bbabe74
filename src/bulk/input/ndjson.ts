import { parseExact } from "../../core/json/parse.ts";
import { duplicateKey } from "./duplicate-key.ts";
import type { Utf8Text } from "./utf8.ts";
import { type Line, LineSplitter } from "./lines.ts";
import { parseValue, type RowOptions, rowTooLong, excerpt } from "./row.ts";
import type { ReadRow } from "../types.ts";

/** The rows of NDJSON, a NewPet a line, in batches (contract.md, Bulk, Input). Blank lines are none. */
export async function* readNdjson(
  text: Utf8Text,
  options: RowOptions,
): AsyncGenerator<readonly ReadRow[]> {
  const splitter = new LineSplitter();
  let index = 0;
  const rowsOf = (lines: readonly Line[]): readonly ReadRow[] => {
    const rows: ReadRow[] = [];
    for (const line of lines) {
      if (line.text === undefined || line.text.trim() !== "") {
        rows.push(readLine(line, index, options));
        index += 1;
      }
    }
    return rows;
  };
  for await (const piece of text) yield rowsOf(splitter.push(piece.toString()));
  if (text.decodeError === undefined) yield rowsOf(splitter.end());
  else yield [{ line: splitter.number, message: text.decodeError }];
}

function readLine({ number: line, text }: Line, index: number, options: RowOptions): ReadRow {
  if (text === undefined) return { line, message: rowTooLong };
  let value: unknown;
  try {
    value = parseExact(text);
  } catch {
    return { line, message: notJson(text.trim(), index) };
  }
  const repeated = duplicateKey(text, value);
  if (repeated !== undefined) return { line, field: excerpt(repeated), message: "stands twice" };
  return parseValue({ index, line }, value, options);
}

function notJson(text: string, index: number): string {
  const isArray = index === 0 && text.startsWith("[");
  const advice = isArray ? "; for a JSON array, give --format json" : "";
  return `must be a JSON object on one line, not ${excerpt(text)}${advice}`;
}
