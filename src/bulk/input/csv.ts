import { parseInt64 } from "../../core/int64.ts";
import type { InvalidRow, ReadRow } from "../types.ts";
import { type CsvBatch, type CsvRecord, CsvRecords, detectDelimiter } from "./csv-parser.ts";
import {
  excerpt,
  maxRowBytes,
  parseRow,
  rowFields,
  type RowOptions,
  rowTooLong,
  unknownFieldMessage,
} from "./row.ts";
import type { Utf8Text } from "./utf8.ts";

/**
 * Yields the rows of CSV as spreadsheets write it, in batches (contract.md, Bulk, Input): a header
 * that names the columns, values separated by commas, semicolons or tabs, quoted by RFC 4180. Rows
 * of empty cells are skipped like blank lines.
 */
export async function* readCsv(
  text: Utf8Text,
  options: RowOptions,
): AsyncGenerator<readonly ReadRow[]> {
  const rows = new CsvRows(options);
  let head: Buffer[] = [];
  let records: CsvRecords | undefined;
  for await (const piece of text) {
    let bytes = piece;
    if (records === undefined) {
      head.push(piece);
      bytes = Buffer.concat(head);
      const delimiter = detectDelimiter(bytes.toString(), { isWhole: false });
      if (delimiter === undefined) continue;
      records = new CsvRecords(delimiter);
      head = [];
    }
    yield rows.read(await records.push(bytes), records.line);
    if (rows.isDone) return;
  }
  if (records === undefined) {
    const bytes = Buffer.concat(head);
    records = new CsvRecords(detectDelimiter(bytes.toString(), { isWhole: true }) ?? ",");
    yield rows.read(await records.push(bytes), records.line);
  }
  if (rows.isDone) return;
  const { decodeError } = text;
  yield rows.read(
    decodeError === undefined ? await records.end() : await records.finishTruncated(),
    records.line,
  );
  if (decodeError !== undefined && !rows.isDone)
    yield [{ line: records.line, message: decodeError }];
}

/** Turns CSV records into rows; the first that is not blank names the columns. */
class CsvRows {
  readonly #options: RowOptions;
  #columns: readonly Column[] | undefined;
  #count = 0;
  #isDone = false;

  constructor(options: RowOptions) {
    this.#options = options;
  }

  /** Whether no more rows follow. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Returns the rows of the next records; `line` is where the record with the fault begins. */
  read({ records, fault }: CsvBatch, line: number): readonly ReadRow[] {
    const rows: ReadRow[] = [];
    for (const record of records) {
      if (this.#isDone) return rows;
      if (!record.cells.every(isBlank)) this.#take(record, rows);
    }
    if (fault === undefined || this.#isDone) return rows;
    this.#isDone = true;
    return [...rows, { line, message: fault }];
  }

  #take(record: CsvRecord, rows: ReadRow[]): void {
    if (this.#columns !== undefined) rows.push(this.#row(record, this.#columns));
    else this.#takeHeader(record, rows);
  }

  #takeHeader({ cells, line }: CsvRecord, rows: ReadRow[]): void {
    const header = readHeader(cells, this.#options);
    if ("columns" in header) {
      this.#columns = header.columns;
      return;
    }
    this.#isDone = true;
    rows.push({ line, ...header });
  }

  #row({ cells, line, size }: CsvRecord, columns: readonly Column[]): ReadRow {
    const index = this.#count;
    this.#count += 1;
    if (size > maxRowBytes) return { line, message: rowTooLong };
    const fields: Record<string, unknown> = {};
    for (const [columnIndex, cell] of cells.entries()) {
      const column = columns[columnIndex] ?? "unnamed";
      if (column === "unnamed" && cell !== "") return { line, message: unnamedCell(columnIndex) };
      if (typeof column === "object") setField(fields, column.field, cell);
    }
    return parseRow({ index, line }, fields, this.#options);
  }
}

function isBlank(cell: string): boolean {
  return cell === "" || cell.trim() === "";
}

function unnamedCell(columnIndex: number): string {
  return `has a value in column ${columnIndex + 1}, which the header does not name; a value with a separator in it must be in quotes`;
}

/** An empty status cell is an animal without a status. */
function setField(values: Record<string, unknown>, field: string, cell: string): void {
  if (field === "categoryId") values.categoryId = parseInt64(cell) ?? cell;
  else if (field !== "status" || cell !== "") values[field] = cell;
}

const fields: ReadonlySet<string> = new Set(rowFields);
const needed = ["name", "categoryId"] as const;

/** A column of the values of a field, of values to ignore, or that must be empty. */
type Column = { readonly field: string } | "ignored" | "unnamed";

/** Returns the columns that a header names, or what is wrong with it. */
function readHeader(
  cells: readonly string[],
  { ignoreUnknown }: RowOptions,
): { readonly columns: readonly Column[] } | Omit<InvalidRow, "line"> {
  if (!cells.some((cell) => fields.has(cell))) return { message: noHeader(cells) };
  const unknown = cells.find((cell) => cell !== "" && !fields.has(cell));
  if (unknown !== undefined && !ignoreUnknown)
    return { field: excerpt(unknown), message: unknownFieldMessage };
  const twice = cells.find((cell, index) => fields.has(cell) && cells.indexOf(cell) < index);
  if (twice !== undefined) return { field: twice, message: "names two columns" };
  const missing = needed.find((field) => !cells.includes(field));
  if (missing !== undefined) return { field: missing, message: "has no column" };
  return { columns: cells.map(columnOf) };
}

function columnOf(cell: string): Column {
  if (cell === "") return "unnamed";
  return fields.has(cell) ? { field: cell } : "ignored";
}

function noHeader(cells: readonly string[]): string {
  const first = JSON.stringify(excerpt(cells.join(",")));
  return `must name the columns, such as name,categoryId,status, and is ${first}`;
}
