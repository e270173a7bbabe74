import { parseExact } from "../../core/json/parse.ts";
import { type Line, LineSplitter } from "../../core/lines.ts";
import type { ReadRow } from "../types.ts";
import { maxRowBytes, parseValue, type RowOptions, type RowPosition, rowTooLong } from "./row.ts";
import { excerpt } from "./fields.ts";
import type { Utf8Text } from "./utf8.ts";

/** Yields the rows of NDJSON, one NewPet per line, in batches (contract.md, Bulk, Input). Skips blank lines. */
export async function* readNdjson(
  text: Utf8Text,
  options: RowOptions,
): AsyncGenerator<readonly ReadRow[]> {
  const splitter = new LineSplitter(maxRowBytes);
  let index = 0;
  const rowsOf = (lines: readonly Line[]): readonly ReadRow[] => {
    const rows: ReadRow[] = [];
    for (const { number, bytes } of lines) {
      const json = bytes?.toString();
      if (json?.trim() === "") continue;
      rows.push(readLine(json, { index, line: number }, options));
      index += 1;
    }
    return rows;
  };
  for await (const piece of text) yield rowsOf(splitter.push(piece));
  if (text.decodeError === undefined) yield rowsOf(splitter.end());
  else yield [{ line: splitter.number, message: text.decodeError }];
}

function readLine(json: string | undefined, position: RowPosition, options: RowOptions): ReadRow {
  const { index, line } = position;
  if (json === undefined) return { line, message: rowTooLong };
  let value: unknown;
  try {
    value = parseExact(json);
  } catch {
    return { line, message: notJson(json.trim(), index) };
  }
  const repeated = duplicateKey(json, value);
  if (repeated !== undefined) return { line, field: excerpt(repeated), message: "is given twice" };
  return parseValue(position, value, options);
}

function notJson(text: string, index: number): string {
  const isArray = index === 0 && text.startsWith("[");
  const advice = isArray ? "; for a JSON array, use --format json" : "";
  return `must be a JSON object on one line, not ${excerpt(text)}${advice}`;
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

/**
 * Returns a key that occurs twice in the object of the valid JSON `text`, or undefined. `value` is
 * the parsed text, which keeps only the last of such keys.
 */
export function duplicateKey(text: string, value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || quoteCountMatches(text, value))
    return undefined;
  const seen = new Set<string>();
  for (const key of keysOf(text)) {
    if (seen.has(key)) return key;
    seen.add(key);
  }
  return undefined;
}

/** Returns whether all quotes in `text` belong to the keys and strings of `value`: the usual case. */
function quoteCountMatches(text: string, value: object): boolean {
  let quotes = 0;
  for (const part of Object.values(value)) quotes += typeof part === "string" ? 4 : 2;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) quotes -= 1;
  return quotes === 0;
}

/** Yields the keys of the outermost object, parsed. */
function* keysOf(text: string): Generator<string> {
  let depth = 0;
  let last = "";
  for (const [token] of text.matchAll(tokens)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    else if (token === ":" && depth === 1) yield String(JSON.parse(last));
    else last = token;
  }
}
