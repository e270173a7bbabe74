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
 * The rows of CSV as spreadsheets write it, in batches (contract.md, Bulk, Input): a header that
 * names the columns, values between commas, semicolons or tabs, quoted by RFC 4180. Rows of nothing
 * but empty cells are blank lines, and none.
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
      const separator = detectDelimiter(bytes.toString(), { isWhole: false });
      if (separator === undefined) continue;
      records = new CsvRecords(separator);
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

/** Makes rows of the records of CSV; the first that is not blank names the columns. */
export class CsvRows {
  readonly #options: RowOptions;
  #columns: readonly Column[] | undefined;
  #count = 0;
  #isStopped = false;

  constructor(options: RowOptions) {
    this.#options = options;
  }

  /** Whether no more rows can be made. */
  get isDone(): boolean {
    return this.#isStopped;
  }

  /** The rows of the next records; `line` is where the one begins that has a fault. */
  read({ records, fault }: CsvBatch, line: number): readonly ReadRow[] {
    const rows: ReadRow[] = [];
    for (const record of records) {
      if (this.#isStopped) return rows;
      if (!record.cells.every(isBlank)) this.#take(record, rows);
    }
    if (fault === undefined || this.#isStopped) return rows;
    this.#isStopped = true;
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
    this.#isStopped = true;
    rows.push({ line, ...header });
  }

  #row({ cells, line, size }: CsvRecord, columns: readonly Column[]): ReadRow {
    const index = this.#count;
    this.#count += 1;
    if (size > maxRowBytes) return { line, message: rowTooLong };
    const fields: Record<string, unknown> = {};
    for (const [place, cell] of cells.entries()) {
      const column = columns[place] ?? "unnamed";
      if (column === "unnamed" && cell !== "") return { line, message: unnamedCell(place) };
      if (typeof column === "object") setField(fields, column.field, cell);
    }
    return parseRow({ index, line }, fields, this.#options);
  }
}

function isBlank(cell: string): boolean {
  return cell === "" || cell.trim() === "";
}

function unnamedCell(place: number): string {
  return `has a value in column ${place + 1}, which the header does not name; a value with a separator in it must be in quotes`;
}

/** An empty status cell is an animal without a status. */
function setField(values: Record<string, unknown>, field: string, cell: string): void {
  if (field === "categoryId") values.categoryId = parseInt64(cell) ?? cell;
  else if (field !== "status" || cell !== "") values[field] = cell;
}

const fields: ReadonlySet<string> = new Set(rowFields);
const needed = ["name", "categoryId"] as const;

/** What stands in a column: the values of a field, values that nobody wants, or nothing at all. */
export type Column = { readonly field: string } | "ignored" | "unnamed";

/** The columns that a header names, or what is wrong with it. */
export function readHeader(
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
