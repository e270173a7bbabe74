import { escapeTsv } from "../../core/sanitize.ts";
import type { RowFault } from "../types.ts";
import { isFieldName } from "./column-guess.ts";
import { type ColumnMap, normalize } from "./fields.ts";
import { rowTooLong } from "./row.ts";

/** Returns the values of a CSV record (RFC 4180), or what is wrong with it. */
export function csvCells(text: string, delimiter: string): readonly string[] | RowFault {
  if (!text.includes('"')) return text.split(delimiter);
  const cells: string[] = [];
  for (let start = 0; start <= text.length;) {
    const isQuoted = text[start] === '"';
    const close = isQuoted ? closingQuote(text, start + 1) : start;
    if (close === -1) return csvFault("neverClosed");
    const next = text.indexOf(delimiter, close);
    const end = next === -1 ? text.length : next;
    if (isQuoted && end > close + 1) return csvFault("textAfterQuote");
    const cell = isQuoted ? text.slice(start + 1, close) : text.slice(start, end);
    if (!isQuoted && cell.includes('"')) return csvFault("quoteInside");
    cells.push(isQuoted ? cell.replaceAll('""', '"') : cell);
    start = end + 1;
  }
  return cells;
}

/** Returns the place of the next quote that is not doubled, or -1. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

const csvFaults = {
  quoteInside: "has a quote inside a value: quote the whole value, and double the quotes inside",
  textAfterQuote: "has text after a closing quote: double each quote inside a value",
  neverClosed: "begins with a quote that is never closed, or not within 1 MiB",
  tooLong: rowTooLong.message,
} as const;

/** Returns a fault of CSV, after which nobody knows where the next record begins. */
export function csvFault(fault: keyof typeof csvFaults): RowFault {
  return { message: `${csvFaults[fault]}; the rest of the file was not read`, fatal: "content" };
}

/** Returns whether a line opens a quote that it does not close, or the other way round. */
export function hasOddQuotes(line: string): boolean {
  let isOdd = false;
  for (let at = line.indexOf('"'); at !== -1; at = line.indexOf('"', at + 1)) isOdd = !isOdd;
  return isOdd;
}

/** The characters that TSV escapes, by their escapes. */
const escaped = new Map(["\t", "\n", "\r", "\\"].map((each) => [escapeTsv(each), each]));
const escapes = /\\[tnr\\]/g;

/** Returns the values of a line of TSV as `pets list -o tsv` writes it, or what is wrong. Quotes have no meaning. */
export function tsvCells(text: string): readonly string[] | RowFault {
  const cells = text.split("\t");
  if (!text.includes("\\")) return cells;
  if (!text.replaceAll(escapes, "").includes("\\"))
    return cells.map((cell) => cell.replaceAll(escapes, (escape) => escaped.get(escape) ?? ""));
  const message = `has an unknown escape: write a backslash as \\\\, or use --format csv if the file has no escapes`;
  return { message, cure: [["--format", "csv"]] };
}

/** The delimiters that spreadsheets use, depending on their language. */
const delimiters = [",", ";", "\t"] as const;

/**
 * Returns the delimiter that separates most columns in a header of CSV that are known, by their names or by `--map`, then
 * the most frequent one; and how many are known.
 */
export function detectDelimiter(header: string, columnMap?: ColumnMap) {
  const isKnown = (cell: string): boolean => {
    const name = cell.trim().replace(/^"(.*)"$/, "$1");
    return isFieldName(name) || columnMap?.has(normalize(name)) === true;
  };
  const found = delimiters.map((delimiter) => {
    const cells = header.split(delimiter);
    return { delimiter, known: cells.filter(isKnown).length, count: cells.length };
  });
  return found.reduce((best, each) =>
    (each.known - best.known || each.count - best.count) > 0 ? each : best,
  );
}
