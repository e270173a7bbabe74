import { type Line, LineSplitter } from "../../core/lines.ts";
import { petFieldNames } from "../../core/pet-fields.ts";
import type { InputRecord } from "../types.ts";
import { type DelimitedRecord, DelimitedRows } from "./delimited-rows.ts";
import { excerpt } from "./fields.ts";
import { maxRowBytes, type RowOptions, rowTooLong } from "./row.ts";
import type { InputText } from "./text.ts";

/**
 * Yields the records of TSV as `pets list -o tsv` writes it: a header, tabs between values, and `\t`, `\n`,
 * `\r` and `\\` for those characters in a value. Quotes have no meaning.
 */
export async function* readTsv(
  text: InputText,
  options: RowOptions,
  onHeader: (rows: DelimitedRows) => void = () => {},
): AsyncGenerator<Iterable<InputRecord>> {
  const lines = new LineSplitter(maxRowBytes, text.firstLine);
  const rows = new DelimitedRows(options);
  onHeader(rows);
  for await (const piece of text) {
    yield rows.read(recordsOf(lines.push(piece)));
    if (rows.isDone) return;
  }
  if (text.fault !== undefined) yield rows.fail(lines.number, text.fault);
  else {
    yield rows.read(recordsOf(lines.end()));
    yield rows.end(text.firstLine);
  }
}

function* recordsOf(lines: Iterable<Line>): Generator<DelimitedRecord> {
  for (const line of lines) yield recordOf(line);
}

function recordOf({ number: line, text }: Line): DelimitedRecord {
  if (text === undefined) return { line, cells: [], size: 0, fault: { message: rowTooLong } };
  const cells = text.split("\t");
  // The line is not over 1 MiB.
  if (!text.includes("\\")) return { line, cells, size: 0 };
  const wrong = text.match(escapes)?.find((escape) => !Object.hasOwn(characters, escape));
  if (wrong === undefined) return { line, cells: cells.map(unescape), size: 0 };
  const message = `has the unknown escape ${excerpt(wrong)}: write a backslash as \\\\, or use --format csv if the file has no escapes`;
  return { line, cells, size: 0, fault: { message, cure: ["--format", "csv"] } };
}

const characters: Readonly<Record<string, string>> = {
  "\\t": "\t",
  "\\n": "\n",
  "\\r": "\r",
  "\\\\": "\\",
};

/** Matches a backslash and the character after it, if there is one in its cell. */
const escapes = /\\(?:[^\t]|(?=\t)|$)/gsu;

function unescape(cell: string): string {
  return cell.replace(escapes, (escape) => characters[escape] ?? escape);
}

const field = `(?:${petFieldNames.join("|")})`;
const header = new RegExp(`^${field}(?:\\t${field})+(?:\\n|$)`);

/** A number of characters that is more than the longest header of `isTsvStart`. */
export const tsvStartLength = 64;

/** Returns whether a text begins with a header as `pets list -o tsv` writes it: spreadsheets end it with CRLF. */
export function isTsvStart(text: string): boolean {
  return header.test(text.slice(0, tsvStartLength));
}
