import { newPetFieldList } from "../../core/pet-fields.ts";
import { parseInt64 } from "../../core/int64.ts";
import { asPetStatus } from "../../core/pet-rules.ts";
import type { ReadRow } from "../types.ts";
import { type Column, readHeader, usualHeader } from "./columns.ts";
import { maxRowBytes, parseRow, type RowOptions, rowTooLong } from "./row.ts";

/** A record of a text with delimiters. */
export interface DelimitedRecord {
  /** The line it begins in, from 1; line ends within quotes count too. */
  readonly line: number;
  readonly cells: readonly string[];
  /** In bytes, with its line end. */
  readonly size: number;
}

/** Turns records into rows; the first that is not blank names the columns. */
export class DelimitedRows {
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

  /** Returns the rows of the next records. */
  read(records: readonly DelimitedRecord[]): readonly ReadRow[] {
    const rows: ReadRow[] = [];
    for (const record of records) {
      if (this.#isDone) return rows;
      if (!record.cells.every(isBlank)) this.#take(record, rows);
    }
    return rows;
  }

  /** Returns the row for a part that can't be read; no rows follow it. */
  fail(line: number, message: string): readonly ReadRow[] {
    if (this.#isDone) return [];
    this.#isDone = true;
    return [{ line, message }];
  }

  /** Returns what is wrong at the end of the text: a text without a header. */
  end(): readonly ReadRow[] {
    if (this.#columns !== undefined) return [];
    return this.fail(1, `is empty: the first line must be a header (${usualHeader})`);
  }

  #take(record: DelimitedRecord, rows: ReadRow[]): void {
    if (this.#columns !== undefined) rows.push(this.#row(record, this.#columns));
    else this.#takeHeader(record, rows);
  }

  #takeHeader({ cells, line }: DelimitedRecord, rows: ReadRow[]): void {
    const header = readHeader(cells, this.#options);
    if ("columns" in header) {
      this.#columns = header.columns;
      return;
    }
    this.#isDone = true;
    rows.push({ line, ...header });
  }

  #row({ cells, line, size }: DelimitedRecord, columns: readonly Column[]): ReadRow {
    const index = this.#count;
    this.#count += 1;
    if (size > maxRowBytes) return { line, message: rowTooLong };
    const fields: Record<string, unknown> = {};
    for (const [columnIndex, cell] of cells.entries()) {
      const column = columns[columnIndex] ?? "unnamed";
      if (column === "unnamed" && cell !== "")
        return { line, message: unnamedCell(cells, columnIndex, columns) };
      if (typeof column === "object") setField(fields, column.field, cell);
    }
    return parseRow({ index, line }, fields, this.#options);
  }
}

function isBlank(cell: string): boolean {
  return cell === "" || cell.trim() === "";
}

function unnamedCell(
  cells: readonly string[],
  columnIndex: number,
  columns: readonly Column[],
): string {
  const quote = "quote values that contain a separator";
  const named = columns.findLastIndex((column) => column !== "unnamed") + 1;
  if (columnIndex < named)
    return `has a value in column ${columnIndex + 1}, which has no name in the header; ${quote}`;
  const values = cells.findLastIndex((cell) => cell !== "") + 1;
  return `has ${values} values but the header has ${named} ${named === 1 ? "column" : "columns"}; ${quote}`;
}

/** Sets a field; an empty cell means an animal without it if it may be left out. */
function setField(values: Record<string, unknown>, field: string, cell: string): void {
  const { kind, required } = newPetFieldList.find((each) => each.field === field) ?? {};
  if (cell === "" && required === false) return;
  if (kind === "number") values[field] = parseInt64(cell) ?? cell;
  else values[field] = kind === "status" ? statusOf(cell) : cell;
}

/** Returns a status in lower case; any other text unchanged, for the message. */
function statusOf(cell: string): string {
  return asPetStatus(cell.toLowerCase()) ?? cell;
}
