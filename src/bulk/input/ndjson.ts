import { parseExact } from "../../core/json/parse.ts";
import type { ReadRow } from "../types.ts";
import { excerpt, longestRow, parseValue, type RowOptions, rowTooLong } from "./row.ts";
import type { Utf8Text } from "./utf8.ts";

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

/** A line without its end; without a text when it is too long to be a row. */
export interface Line {
  readonly number: number;
  readonly text: string | undefined;
}

const lineEnd = /\r\n|\n|\r/g;

/** Cuts text into lines ended by LF, CRLF or CR. Of a line that is too long nothing is kept. */
export class LineSplitter {
  #number = 1;
  #rest = "";
  #isTooLong = false;

  /** The number of the line that has not ended yet. */
  get number(): number {
    return this.#number;
  }

  /** The lines that end in `piece`, the next part of the text. */
  push(piece: string): readonly Line[] {
    // A CR at the end may be half a CRLF.
    const text = this.#rest + piece;
    const whole = text.endsWith("\r") ? text.length - 1 : text.length;
    const lines: Line[] = [];
    let from = 0;
    lineEnd.lastIndex = this.#rest.endsWith("\r") ? this.#rest.length - 1 : this.#rest.length;
    for (
      let end = lineEnd.exec(text);
      end !== null && end.index < whole;
      end = lineEnd.exec(text)
    ) {
      lines.push(this.#endLine(text.slice(from, end.index)));
      from = lineEnd.lastIndex;
    }
    this.#keep(text.slice(from));
    return lines;
  }

  /** The line that the text ends with, if there is one. */
  end(): readonly Line[] {
    if (this.#rest === "" && !this.#isTooLong) return [];
    return [this.#endLine(this.#rest.replace(/\r$/, ""))];
  }

  #endLine(text: string): Line {
    const isTooLong = this.#isTooLong || isLongerThanRow(text);
    const line = { number: this.#number, text: isTooLong ? undefined : text };
    this.#number += 1;
    this.#isTooLong = false;
    this.#rest = "";
    return line;
  }

  #keep(rest: string): void {
    if (rest.length > longestRow) this.#isTooLong = true;
    this.#rest = this.#isTooLong ? (rest.endsWith("\r") ? "\r" : "") : rest;
  }
}

function isLongerThanRow(text: string): boolean {
  return text.length * 3 > longestRow && Buffer.byteLength(text) > longestRow;
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

/**
 * A key that stands more than once in the object that the valid JSON `text` is, or undefined.
 * `value` is what the text was parsed to, which has only the last of them.
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

/** Whether every quote in `text` is of a key or a text of `value`: so it is, but for what is rare. */
function quoteCountMatches(text: string, value: object): boolean {
  let quotes = 0;
  for (const part of Object.values(value)) quotes += typeof part === "string" ? 4 : 2;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) quotes -= 1;
  return quotes === 0;
}

/** The keys of the outermost object, as they are parsed. */
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
