import { parseInt64 } from "../../core/int64.ts";
import { type Column, readHeader } from "./csv-header.ts";
import type { CsvBatch, CsvRecord } from "./csv-parser.ts";
import { longestRow, parseRow, type RowOptions, rowTooLong } from "./row.ts";
import type { ReadRow } from "../types.ts";

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
    if (size > longestRow) return { line, message: rowTooLong };
    const fields: Record<string, unknown> = {};
    for (const [place, cell] of cells.entries()) {
      const column = columns[place] ?? "unnamed";
      if (column === "unnamed" && cell !== "") return { line, message: unnamedCell(place) };
      if (typeof column === "object") fields[column.field] = valueOf(column.field, cell);
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

function valueOf(field: string, cell: string): unknown {
  if (field === "categoryId") return parseInt64(cell) ?? cell;
  return field === "status" && cell === "" ? undefined : cell;
}
