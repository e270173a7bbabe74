import type { RowPlace } from "../../core/format.ts";
import type { Line } from "../../core/lines.ts";
import type { NewPet } from "../../core/pet.ts";
import { escapeTsv } from "../../core/sanitize.ts";
import type { Cells, Column, Fault, HeaderFacts, InputRecord, TextFault } from "../types.ts";
import {
  type ColumnMap,
  isFieldName,
  isUnderstood,
  isValue,
  normalize,
  readHeader,
  type RowOptions,
} from "./columns.ts";
import { isBlankAt, maxRowBytes, parseCell, parseRow, rowTooLong, trimBlanks } from "./row.ts";
import { asCsv, rowAt } from "./suggest.ts";
import type { InputText } from "./text.ts";

/** Yields the rows of CSV as spreadsheets write it, or of TSV as `pets list -o tsv` does. Skips rows of empty cells. */
export function* readDelimited(
  input: InputText,
  format: "csv" | "tsv",
  options: RowOptions,
): Generator<InputRecord> {
  const { columnMap, header = true, skipLines = 0 } = options;
  const isCsv = format === "csv";
  const split: Split = ({ text }, separator) => {
    if (text === undefined)
      return input.fault ?? (isCsv ? csvFault(rowTooLong.message) : rowTooLong);
    return isCsv ? csvCells(text, separator) : tsvCells(text);
  };
  const records = recordsIn(input, isCsv, skipLines);
  let delimiter = "\t";
  let columns: readonly Column[] | undefined;
  let index = 0;
  for (const record of records) {
    if (columns === undefined) {
      if (isBlank(record)) continue;
      if (isCsv) ({ delimiter } = detectDelimiter(record.text, columnMap));
      const names = split(record, delimiter);
      const found = "message" in names ? names : readHeader(names, options);
      if ("message" in found || !isUnderstood(found)) {
        const below = records.take(maxTitleLines);
        const fault = headerFault(found, [record, ...below], split, options);
        yield { read: rowAt(0, placeOf(record), fault), original: "" };
        return;
      }
      ({ columns } = found);
      const titles = columns.map(({ name, title }) => (header ? title : name));
      const lineEnd = record.end || "\n";
      input.shape = { ...input.shape, columns: titles, delimiter, lineEnd };
      if (header) continue;
    }
    const cells = split(record, delimiter);
    const isRead = !("message" in cells);
    if (isRead && !cells.some(isFilled)) continue;
    const found = isRead ? petOf(cells, columns, options) : cells;
    const key = isRead ? cells[columns.findIndex(({ isKey }) => isKey)] : undefined;
    const original = isRead ? cells : (record.text ?? "").split("\t");
    yield { read: rowAt(index, placeOf(record), found, key), original };
    index += 1;
  }
  if (columns !== undefined) return;
  const message = skipLines > 0 ? `has no lines after --skip-lines ${skipLines}` : "is empty";
  yield { read: rowAt(0, { line: skipLines + 1 }, { message, fatal: "file" }), original: "" };
}

type Split = (record: Line, separator: string) => Cells | TextFault;

type TableLine = Line & Pick<RowPlace, "row">;

const placeOf = ({ number: line, row }: TableLine): RowPlace => ({ line, row });

/** Yields the lines, in CSV joined while a quote is open. A record without a text is too long, or can't be decoded. */
function* recordsIn(input: InputText, isCsv: boolean, skipLines: number): Generator<TableLine> {
  let begun: Line | undefined;
  let breaks = 0;
  for (const line of input.lines()) {
    if (line.number <= skipLines && input.fault === undefined) continue;
    const record = begun === undefined ? line : joined(begun, line);
    const { text, number } = record;
    const isOpen = isCsv && hasOddQuotes(line.text ?? "") === (begun === undefined);
    begun = isOpen && text !== undefined && text.length <= maxRowBytes ? record : undefined;
    if (begun !== undefined) continue;
    yield breaks === 0 ? record : { ...record, row: number - breaks };
    breaks += line.number - number;
  }
  if (begun !== undefined) yield begun;
}

function joined(begun: Line, { text, end }: Line): Line {
  const whole = text === undefined ? undefined : `${begun.text ?? ""}${begun.end}${text}`;
  return { number: begun.number, text: whole, end };
}

/** Returns whether a record has nothing, with any separator. */
const isBlank = ({ text }: Line): boolean => text !== undefined && /^[\s,;"]*$/.test(text);

const maxTitleLines = 10;

/** Returns the facts of a wrong header with the rows below, or of one that comes below titles; or why there is no row. */
function headerFault(
  found: HeaderFacts | TextFault,
  records: readonly Line[],
  split: Split,
  options: RowOptions,
): Fault {
  const rows = records.map((record) => {
    const { delimiter, known } = detectDelimiter(record.text, options.columnMap);
    const values = split(record, delimiter);
    const cells = "message" in values ? [] : values;
    return { line: record.number, known, cells, filled: cells.filter(isFilled).length };
  });
  const [first, ...below] = rows;
  const isTitle = options.header !== false && first?.known === 0;
  const header = below.find(
    ({ known, filled, cells }) =>
      isTitle && (known > 0 || (first.filled === 1 && filled > 1 && !cells.some(isValue))),
  );
  const from = header === undefined ? 0 : rows.indexOf(header);
  const sample = rows.slice(from).flatMap(({ cells, filled }) => (filled > 0 ? [cells] : []));
  if (header !== undefined)
    return { ...readHeader(header.cells, options), sample, titleLines: header.line - 1 };
  return "columns" in found ? { ...found, sample } : { fatal: "content", ...found };
}

function petOf(cells: Cells, columns: readonly Column[], options: RowOptions): NewPet | Fault {
  const fields: Record<string, unknown> = {};
  for (let at = 0; at < cells.length; at += 1) {
    const cell = cells[at] ?? "";
    const column = columns[at];
    if (column?.field !== undefined) fields[column.field] = parseCell(column.field, cell);
    else if (cell !== "" && column?.isIgnored !== true && column?.isKey !== true)
      return {
        message: `value in column #${at + 1}, which has no name; quote values that contain a separator`,
        ...(column && { cure: [["--ignore-fields"]] }),
      };
  }
  return parseRow(fields, options);
}

const isFilled = (cell: string): boolean => cell.trim() !== "";

/** Returns the values of a CSV record (RFC 4180), or what is wrong with it. */
function csvCells(text: string, delimiter: string): Cells | TextFault {
  if (!text.includes('"')) return text.split(delimiter).map(trimBlanks);
  const cells: string[] = [];
  for (let start = 0; start <= text.length;) {
    let open = start;
    while (isBlankAt(text, open) && text[open] !== delimiter) open += 1;
    const isQuoted = text[open] === '"';
    const close = isQuoted ? closingQuote(text, open + 1) : start;
    if (close === -1) return csvFault("quote never closed within 1 MiB");
    const next = text.indexOf(delimiter, close);
    const end = next === -1 ? text.length : next;
    if (isQuoted && trimBlanks(text.slice(close + 1, end)) !== "")
      return csvFault("text after a closing quote; double each quote inside a value");
    const cell = isQuoted ? text.slice(open + 1, close) : trimBlanks(text.slice(start, end));
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
function csvFault(message: string): TextFault {
  return { message: `${message}; the rest of the file was not read`, fatal: "content" };
}

const hasOddQuotes = (line: string): boolean => line.split('"').length % 2 === 0;

/** The characters that TSV escapes, by their escapes. */
const escaped = new Map(["\t", "\n", "\r", "\\"].map((each) => [escapeTsv(each), each]));
const escapes = /\\[tnr\\]/g;

/** Returns the values of a line of TSV, in which quotes have no meaning, or what is wrong. */
function tsvCells(text: string): Cells | TextFault {
  const cells = text.split("\t");
  if (!text.includes("\\")) return cells;
  if (!text.replaceAll(escapes, "").includes("\\"))
    return cells.map((cell) => cell.replaceAll(escapes, (escape) => escaped.get(escape) ?? ""));
  const message = "unknown escape; write a backslash as \\\\";
  return { message, cure: [asCsv] };
}

/** The delimiters that spreadsheets use, depending on their language. */
const delimiters = [",", ";", "\t", "|"] as const;

/** Returns the delimiter with the most `known` columns in a header, by their names or `--map`, then with the most columns. */
function detectDelimiter(header = "", columnMap: ColumnMap) {
  const isKnown = (cell: string): boolean => {
    const name = cell.trim().replace(/^"(.*)"$/, "$1");
    // Without its comma "Tier,Art" would be a name of one column.
    const isName = !/[,;\t|]/.test(name) && isFieldName(name);
    return isName || columnMap.has(normalize(name));
  };
  const found = delimiters.map((delimiter) => {
    const cells = header.split(delimiter);
    return { delimiter, known: cells.filter(isKnown).length, count: cells.length };
  });
  return found.reduce((best, each) =>
    (each.known - best.known || each.count - best.count) > 0 ? each : best,
  );
}
