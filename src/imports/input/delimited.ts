import { type Line, LineSplitter } from "../../core/lines.ts";
import type { NewPet } from "../../core/pet.ts";
import type { InputRecord, InputShape, InvalidRow, RowFault } from "../types.ts";
import {
  countKnown,
  csvCells,
  csvFault,
  detectDelimiter,
  hasOddQuotes,
  tsvCells,
} from "./cells.ts";
import { type Column, columnName, readHeader, usualHeader } from "./columns.ts";
import { maxRowBytes, parseCell, parseRow, rowAt, type RowOptions, rowTooLong } from "./row.ts";
import type { RecordReader } from "./text.ts";

/** How many lines after a title are searched for the header. */
const maxTitleLines = 10;

/**
 * Reads CSV as spreadsheets write it, or TSV as `pets list -o tsv` does. The first row that is not blank names the
 * columns, but with `noHeader`; other rows of empty cells are skipped too.
 */
export class DelimitedReader implements RecordReader {
  readonly #format: "csv" | "tsv";
  readonly #options: RowOptions;
  /** What the first record shows. */
  shape: Partial<InputShape> = {};
  readonly #lines = new LineSplitter(maxRowBytes);
  #delimiter = "\t";
  #columns: readonly Column[] | undefined;
  #count = 0;
  /** The lines so far of a CSV record that goes on. */
  #begun: { readonly line: number; readonly text: string } | undefined;
  /** What is wrong with a first record that may be a title above the header. */
  #title: InvalidRow | undefined;

  constructor(format: "csv" | "tsv", options: RowOptions) {
    this.#format = format;
    this.#options = options;
  }

  push(piece: string): Generator<InputRecord> {
    return this.#recordsOf(this.#lines.push(piece));
  }

  *end(fault?: RowFault): Generator<InputRecord> {
    if (fault === undefined) yield* this.#recordsOf(this.#lines.end());
    const { skipLines = 0 } = this.#options;
    const { line = this.#lines.number } = this.#begun ?? {};
    if (this.#title !== undefined) yield fail(this.#title);
    else if (fault !== undefined) yield fail({ line, ...fault });
    else if (this.#begun !== undefined) yield fail({ line, ...csvFault("neverClosed") });
    else if (this.#columns === undefined) {
      const message = `is empty: the first line must be a header (${usualHeader})`;
      yield fail({ line: skipLines + 1, message, fatal: "header" });
    }
  }

  *#recordsOf(lines: Iterable<Line>): Generator<InputRecord> {
    const { skipLines = 0 } = this.#options;
    for (const line of lines) {
      const record = line.number > skipLines ? this.#recordOf(line) : undefined;
      if (record !== undefined) yield record;
    }
  }

  /** Returns the record that ends with a line, if one does that is not blank. */
  #recordOf({ number, text: own, end }: Line): InputRecord | undefined {
    const line = this.#begun?.line ?? number;
    const text = (this.#begun?.text ?? "") + (own ?? "");
    const cells = this.#cellsOf(text, own);
    this.#begun = cells === undefined ? { line, text: text + end } : undefined;
    if (cells === undefined) return undefined;
    if ("message" in cells) {
      const isFatal = cells.fatal !== undefined || this.#columns === undefined;
      if (isFatal) return fail(this.#title ?? { line, ...cells });
      return this.#record(line, cells, text.split("\t"));
    }
    if (this.#columns === undefined) return this.#takeFirst(line, cells, end);
    if (cells.every(isBlank)) return undefined;
    return this.#record(line, this.#petOf(cells, this.#columns), cells);
  }

  /** Returns the values of a record, or what is wrong with it; undefined if it goes on in the next line. */
  #cellsOf(text: string, lastLine: string | undefined): readonly string[] | RowFault | undefined {
    const isTooLong = lastLine === undefined || text.length > maxRowBytes;
    if (this.#format === "tsv") return isTooLong ? rowTooLong : tsvCells(text);
    if (isTooLong) return csvFault("tooLong");
    if (this.#begun !== undefined && !hasOddQuotes(lastLine)) return undefined;
    if (this.#columns === undefined)
      this.#delimiter = detectDelimiter(text, this.#options.columnMap);
    return csvCells(text, this.#delimiter);
  }

  /** Takes the columns from the first record, or from the one after a title to say where it is. */
  #takeFirst(line: number, cells: readonly string[], end: string): InputRecord | undefined {
    const { columnMap, noHeader = false } = this.#options;
    if (cells.every((cell) => /^[\s,;"]*$/.test(cell))) return undefined;
    const isKnown = countKnown(cells, columnMap) > 0;
    const title = this.#title;
    if (title !== undefined && isKnown) {
      const message = `is not a header, but line ${line} looks like one`;
      return fail({ ...title, message, cure: [["--skip-lines", String(line - 1)]] });
    }
    if (title !== undefined) return line < title.line + maxTitleLines ? undefined : fail(title);
    const header = readHeader(cells, this.#options);
    if ("message" in header) {
      this.#title = { line, ...header, fatal: "header" };
      return isKnown || noHeader ? fail(this.#title) : undefined;
    }
    this.#columns = header;
    const columns = noHeader ? cells.map((_cell, i) => columnName("", i)) : cells;
    this.shape = { columns, delimiter: this.#delimiter, lineEnd: end || "\n" };
    return noHeader ? this.#record(line, this.#petOf(cells, header), cells) : undefined;
  }

  #petOf(cells: readonly string[], columns: readonly Column[]): NewPet | RowFault {
    const fields: Record<string, unknown> = {};
    for (let at = 0; at < cells.length; at += 1) {
      const cell = cells[at] ?? "";
      const column = columns[at] ?? "unnamed";
      if (column === "unnamed" && cell !== "") return unnamedCell(at, at < columns.length);
      if (typeof column === "object") fields[column.field] = parseCell(column.field, cell);
    }
    return parseRow(fields, this.#options);
  }

  #record(line: number, found: NewPet | RowFault, original: readonly string[]): InputRecord {
    this.#count += 1;
    return { read: rowAt(this.#count - 1, line, found), original };
  }
}

/** Returns the record of a part that can't be read; none follows it. */
function fail(fault: InvalidRow): InputRecord {
  return { read: { fatal: "content", ...fault }, original: [] };
}

function isBlank(cell: string): boolean {
  return cell.trim() === "";
}

function unnamedCell(index: number, isInHeader: boolean): RowFault {
  const message = `has a value in column #${index + 1}, which has no name; quote values that contain a separator`;
  return { message, ...(isInHeader && { cure: [["--ignore-fields"]] }) };
}
