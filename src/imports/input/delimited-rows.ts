import type { InputRecord, InvalidRow, ReadRow } from "../types.ts";
import { type Column, columnName, readHeader, usualHeader } from "./columns.ts";
import { maxRowBytes, parseCell, parseRow, type RowOptions, rowTooLong, setField } from "./row.ts";

/** A record of a text with delimiters. */
export interface DelimitedRecord {
  /** The line it begins in, from 1; line ends within quotes count too. */
  readonly line: number;
  readonly cells: readonly string[];
  /** In bytes, with its line end. */
  readonly size: number;
  /** What is wrong with its cells, if they could not be read. */
  readonly fault?: Omit<InvalidRow, "line">;
}

/** Turns records into rows; the first that is not blank names the columns, but with `noHeader`. */
export class DelimitedRows {
  readonly #options: RowOptions;
  #columns: readonly Column[] | undefined;
  #header: readonly string[] = [];
  #count = 0;
  #isDone = false;

  constructor(options: RowOptions) {
    this.#options = options;
  }

  /** Whether no more rows follow. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** The cells of the header; without one, the places of the columns (`#1`). */
  get header(): readonly string[] {
    return this.#header;
  }

  /** Yields the rows of the next records. */
  *read(records: Iterable<DelimitedRecord>): Generator<InputRecord> {
    for (const record of records) {
      if (this.#isDone) return;
      if (record.fault === undefined && record.cells.every(isBlank)) continue;
      if (this.#columns === undefined) {
        const fault = this.#takeFirst(record);
        if (fault !== undefined) yield* this.fail(record.line, fault);
        if (fault !== undefined || this.#options.noHeader !== true) continue;
      }
      yield { read: this.#row(record, this.#columns ?? []), original: record.cells };
    }
  }

  /** Yields the row for a part that can't be read; no rows follow it. */
  *fail(line: number, fault: Omit<InvalidRow, "line">): Generator<InputRecord> {
    if (this.#isDone) return;
    this.#isDone = true;
    yield { read: { fatal: "content", ...fault, line }, original: [] };
  }

  /** Yields what is wrong at the end of the text: a text without a header. */
  *end(line: number): Generator<InputRecord> {
    if (this.#columns !== undefined) return;
    yield* this.fail(line, {
      fatal: "header",
      message: `is empty: the first line must be a header (${usualHeader})`,
    });
  }

  /** Takes the columns from the first record; returns what is wrong with it. */
  #takeFirst({ cells, fault }: DelimitedRecord): Omit<InvalidRow, "line"> | undefined {
    if (fault !== undefined) return fault;
    const header = readHeader(cells, this.#options);
    if (!("columns" in header)) return { ...header, fatal: "header" };
    this.#columns = header.columns;
    this.#header = this.#options.noHeader === true ? cells.map((_, i) => columnName("", i)) : cells;
    return undefined;
  }

  #row({ cells, line, size, fault }: DelimitedRecord, columns: readonly Column[]): ReadRow {
    const index = this.#count;
    this.#count += 1;
    if (fault !== undefined) return { line, ...fault };
    if (size > maxRowBytes) return { line, message: rowTooLong };
    const fields: Record<string, unknown> = {};
    for (let at = 0; at < cells.length; at += 1) {
      const cell = cells[at] ?? "";
      const column = columns[at] ?? "unnamed";
      if (column === "unnamed" && cell !== "") return { line, ...unnamedCell(cells, at, columns) };
      if (typeof column === "object") setField(fields, column.field, parseCell(column.field, cell));
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
): Omit<InvalidRow, "line"> {
  const advice = "quote values that contain a separator";
  const named = columns.findLastIndex((column) => column !== "unnamed") + 1;
  if (columnIndex < columns.length)
    return {
      message: `has a value in column #${columnIndex + 1}, which has no name; ${advice}`,
      cure: ["--ignore-fields"],
    };
  const values = cells.findLastIndex((cell) => cell !== "") + 1;
  return {
    message: `has ${values} values but the header has ${named} ${named === 1 ? "column" : "columns"}; ${advice}`,
  };
}
