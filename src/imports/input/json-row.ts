import { parseExact } from "../../core/json/parse.ts";
import type { ReadRow } from "../types.ts";
import { excerpt } from "./fields.ts";
import { parseValue, type RowOptions, type RowPosition } from "./row.ts";

/** Returns the row of a JSON text, or what is wrong with it; undefined if it is not JSON. */
export function readJsonRow(
  json: string,
  position: RowPosition,
  options: RowOptions,
): ReadRow | undefined {
  let value: unknown;
  try {
    value = parseExact(json);
  } catch {
    return undefined;
  }
  const repeated = duplicateKey(json, value);
  if (repeated === undefined) return parseValue(position, value, options);
  return { line: position.line, field: excerpt(repeated), message: "is given twice" };
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
