import { petFieldNames } from "../../core/pet-fields.ts";
import { type Line, LineSplitter } from "../../core/lines.ts";
import type { ReadRow } from "../types.ts";
import { type DelimitedRecord, DelimitedRows } from "./delimited-rows.ts";
import { maxRowBytes, type RowOptions, rowTooLong } from "./row.ts";
import { excerpt } from "./fields.ts";
import type { Utf8Text } from "./utf8.ts";

/**
 * Yields the rows of TSV as `pets list -o tsv` writes it, in batches (contract.md, What goes where): a
 * header, tabs between values, and `\t`, `\n`, `\r` and `\\` for those characters in a value. Quotes
 * have no meaning.
 */
export async function* readTsv(
  text: Utf8Text,
  options: RowOptions,
): AsyncGenerator<readonly ReadRow[]> {
  const splitter = new LineSplitter(maxRowBytes);
  const rows = new DelimitedRows(options);
  for await (const piece of text) {
    yield readLines(splitter.push(piece), rows);
    if (rows.isDone) return;
  }
  if (text.decodeError !== undefined) yield rows.fail(splitter.number, text.decodeError);
  else yield [...readLines(splitter.end(), rows), ...rows.end()];
}

function readLines(lines: readonly Line[], rows: DelimitedRows): readonly ReadRow[] {
  return lines.flatMap((line) => {
    const record = recordOf(line);
    if (!("message" in record)) return rows.read([record]);
    const { number } = line;
    return rows.isDone ? [] : [{ line: number, message: record.message }];
  });
}

function recordOf({ number, bytes }: Line): DelimitedRecord | { readonly message: string } {
  if (bytes === undefined) return { message: rowTooLong };
  const cells = bytes.toString().split("\t");
  const wrong = cells.map(unknownEscape).find((escape) => escape !== undefined);
  if (wrong !== undefined)
    return {
      message: `has the unknown escape ${excerpt(wrong)}: write a backslash as \\\\, or use --format csv if the file has no escapes`,
    };
  return { line: number, cells: cells.map(unescape), size: bytes.length };
}

const characters: Readonly<Record<string, string>> = {
  "\\t": "\t",
  "\\n": "\n",
  "\\r": "\r",
  "\\\\": "\\",
};

/** Matches a backslash and the character after it, if there is one. */
const escapes = /\\(?:.|$)/gsu;

function unescape(cell: string): string {
  return cell.replace(escapes, (escape) => characters[escape] ?? escape);
}

function unknownEscape(cell: string): string | undefined {
  if (!cell.includes("\\")) return undefined;
  return cell.match(escapes)?.find((escape) => !Object.hasOwn(characters, escape));
}

const field = `(?:${petFieldNames.join("|")})`;
const header = new RegExp(`^${field}(?:\\t${field})+(?:\\n|$)`);

/** A number of characters that is more than the longest header of `isTsvStart`. */
export const tsvStartLength = 64;

/** Returns whether a text begins with a header as `pets list -o tsv` writes it: spreadsheets end it with CRLF. */
export function isTsvStart(text: string): boolean {
  return header.test(text.slice(0, tsvStartLength));
}
