import type { Line } from "../../core/lines.ts";
import type { NewPet } from "../../core/pet.ts";
import { escapeTsv } from "../../core/sanitize.ts";
import type { InputRecord, RowFault } from "../types.ts";
import {
  asCsv,
  type Column,
  type ColumnMap,
  isFieldName,
  isValue,
  normalize,
  readHeader,
  type RowOptions,
} from "./columns.ts";
import { maxRowBytes, parseCell, parseRow, rowAt, rowTooLong } from "./row.ts";
import type { InputText } from "./text.ts";

/** Yields the rows of CSV as spreadsheets write it, or of TSV as `pets list -o tsv` does. Skips rows of empty cells. */
export function* readDelimited(
  input: InputText,
  format: "csv" | "tsv",
  options: RowOptions,
): Generator<InputRecord> {
  const { columnMap, header = true, skipLines = 0 } = options;
  const isCsv = format === "csv";
  const records = recordsIn(input, isCsv, skipLines);
  const first = firstRecord(records) ?? { number: skipLines + 1, text: "", end: "" };
  const { delimiter } = detectDelimiter(first.text ?? "", columnMap);
  const split: Split = ({ text }, separator) => {
    if (text === undefined)
      return input.fault ?? (isCsv ? csvFault(rowTooLong.message) : rowTooLong);
    return isCsv ? csvCells(text, separator) : tsvCells(text);
  };
  const names = split(first, delimiter);
  const columns = "message" in names ? names : readHeader(names, options);
  if ("message" in columns) {
    const fault = { ...columns, ...titleFault(first, records, split, options) };
    yield { read: { line: first.number, fatal: "content", ...fault }, original: "" };
    return;
  }
  input.shape = {
    ...input.shape,
    columns: columns.map(({ title }) => title),
    delimiter: isCsv ? delimiter : "\t",
    lineEnd: first.end || "\n",
  };
  let index = 0;
  for (const record of header ? records : startingWith(first, records)) {
    const cells = split(record, delimiter);
    const isRead = !("message" in cells);
    if (isRead && !cells.some(isFilled)) continue;
    const found = isRead ? petOf(cells, columns, options) : cells;
    const original = isRead ? cells : (record.text ?? "").split("\t");
    yield { read: rowAt(index, record.number, found), original };
    index += 1;
  }
}

type Split = (record: Line, separator: string) => readonly string[] | RowFault;

/** Yields the lines, in CSV joined while a quote is open. A record without a text is too long, or can't be decoded. */
function* recordsIn(input: InputText, isCsv: boolean, skipLines: number): Generator<Line> {
  let begun: Line | undefined;
  for (const line of input.lines()) {
    if (line.number <= skipLines && input.fault === undefined) continue;
    const record = begun === undefined ? line : joined(begun, line);
    const { text } = record;
    const isOpen = isCsv && hasOddQuotes(line.text ?? "") === (begun === undefined);
    begun = isOpen && text !== undefined && text.length <= maxRowBytes ? record : undefined;
    if (begun === undefined) yield record;
  }
  if (begun !== undefined) yield begun;
}

function joined(begun: Line, { text, end }: Line): Line {
  const whole = text === undefined ? undefined : `${begun.text ?? ""}${begun.end}${text}`;
  return { number: begun.number, text: whole, end };
}

/** Returns the first record that is not blank, with any separator. */
function firstRecord(records: Iterator<Line>): Line | undefined {
  let next = records.next();
  while (next.done !== true && /^[\s,;"]*$/.test(next.value.text ?? "?")) next = records.next();
  return next.done === true ? undefined : next.value;
}

function* startingWith(first: Line, rest: Iterable<Line>): Generator<Line> {
  yield first;
  yield* rest;
}

const maxTitleLines = 10;

/** Returns the fault of a first record without a known column, if a header comes soon after it. */
function titleFault(
  first: Line,
  records: Iterable<Line>,
  split: Split,
  options: RowOptions,
): RowFault | undefined {
  const shapeOf = ({ text = "" }: Line) => detectDelimiter(text, options.columnMap);
  const isHeader = (line: Line): boolean => shapeOf(line).known > 0;
  if (options.header === false || isHeader(first)) return undefined;
  const cellsOf = (record: Line) => {
    const cells = split(record, shapeOf(record).delimiter);
    return "message" in cells ? [] : cells;
  };
  const isTitle = cellsOf(first).filter(isFilled).length === 1;
  for (const record of records) {
    const { number } = record;
    if (number > first.number + maxTitleLines) return undefined;
    const cells = cellsOf(record);
    const isLikely = isTitle && cells.filter(isFilled).length > 1 && !cells.some(isValue);
    if (!isHeader(record) && !isLikely) continue;
    const message = `not a header; line ${number} looks like one`;
    const columns = readHeader(cells, options);
    const others = "message" in columns ? (columns.cure ?? []) : [];
    return { message, fatal: "header", cure: [["--skip-lines", String(number - 1)], ...others] };
  }
  return undefined;
}

function petOf(
  cells: readonly string[],
  columns: readonly Column[],
  options: RowOptions,
): NewPet | RowFault {
  const fields: Record<string, unknown> = {};
  for (let at = 0; at < cells.length; at += 1) {
    const cell = cells[at] ?? "";
    const column = columns[at];
    if (column?.field !== undefined) fields[column.field] = parseCell(column.field, cell);
    else if (cell !== "" && column?.isIgnored !== true)
      return unnamedCell(at, column !== undefined);
  }
  return parseRow(fields, options);
}

const isFilled = (cell: string): boolean => cell.trim() !== "";

function unnamedCell(index: number, isInHeader: boolean): RowFault {
  const message = `value in column #${index + 1}, which has no name; quote values that contain a separator`;
  return { message, ...(isInHeader && { cure: [["--ignore-fields"]] }) };
}

/** Returns the values of a CSV record (RFC 4180), or what is wrong with it. */
function csvCells(text: string, delimiter: string): readonly string[] | RowFault {
  if (!text.includes('"')) return text.split(delimiter);
  const cells: string[] = [];
  for (let start = 0; start <= text.length;) {
    const isQuoted = text[start] === '"';
    const close = isQuoted ? closingQuote(text, start + 1) : start;
    if (close === -1) return csvFault("quote never closed within 1 MiB");
    const next = text.indexOf(delimiter, close);
    const end = next === -1 ? text.length : next;
    if (isQuoted && end > close + 1)
      return csvFault("text after a closing quote; double each quote inside a value");
    const cell = isQuoted ? text.slice(start + 1, close) : text.slice(start, end);
    if (!isQuoted && cell.includes('"'))
      return csvFault("quote inside an unquoted value; quote it all, and double the quotes inside");
    cells.push(isQuoted ? cell.replaceAll('""', '"') : cell);
    start = end + 1;
  }
  return cells;
}

function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

// After a fault of CSV it is unknown where the next record begins.
function csvFault(message: string): RowFault {
  return { message: `${message}; the rest of the file was not read`, fatal: "content" };
}

const hasOddQuotes = (line: string): boolean => line.split('"').length % 2 === 0;

/** The characters that TSV escapes, by their escapes. */
const escaped = new Map(["\t", "\n", "\r", "\\"].map((each) => [escapeTsv(each), each]));
const escapes = /\\[tnr\\]/g;

/** Returns the values of a line of TSV, in which quotes have no meaning, or what is wrong. */
function tsvCells(text: string): readonly string[] | RowFault {
  const cells = text.split("\t");
  if (!text.includes("\\")) return cells;
  if (!text.replaceAll(escapes, "").includes("\\"))
    return cells.map((cell) => cell.replaceAll(escapes, (escape) => escaped.get(escape) ?? ""));
  const message = "unknown escape; write a backslash as \\\\";
  return { message, cure: [asCsv] };
}

/** The delimiters that spreadsheets use, depending on their language. */
const delimiters = [",", ";", "\t"] as const;

/** Returns the delimiter with the most `known` columns in a header, by their names or `--map`, then with the most columns. */
function detectDelimiter(header: string, columnMap?: ColumnMap) {
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
