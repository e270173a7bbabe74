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
import type { InputText } from "./text.ts";

/** Where the records of CSV or TSV come from. */
export interface DelimitedInput {
  readonly format: "csv" | "tsv";
  readonly options: RowOptions;
  /** Called with what the first record shows. */
  readonly onHeader?: (shape: Partial<InputShape>) => void;
}

/**
 * Yields the records of CSV as spreadsheets write it, or of TSV as `pets list -o tsv` does. Rows of empty cells
 * are skipped like blank lines.
 */
export async function* readDelimited(
  text: InputText,
  input: DelimitedInput,
): AsyncGenerator<Iterable<InputRecord>> {
  const lines = new LineSplitter(maxRowBytes);
  const rows = new DelimitedRows(input);
  for await (const piece of text) {
    yield rows.read(lines.push(piece));
    if (rows.isDone) return;
  }
  if (text.fault === undefined) yield rows.read(lines.end());
  yield rows.end(lines.number, text.fault);
}

/** How many lines after a title are searched for the header. */
const maxTitleLines = 10;

/** Turns the lines of CSV or TSV into rows; the first that is not blank names the columns, but with `noHeader`. */
class DelimitedRows {
  readonly #input: DelimitedInput;
  #delimiter = "\t";
  #columns: readonly Column[] | undefined;
  #count = 0;
  /** Whether no more rows follow. */
  isDone = false;
  /** The lines so far of a CSV record that goes on. */
  #begun: { readonly line: number; readonly text: string } | undefined;
  /** What is wrong with a first record that may be a title above the header. */
  #title: InvalidRow | undefined;

  constructor(input: DelimitedInput) {
    this.#input = input;
  }

  /** Yields the rows that end with the next lines. */
  *read(lines: Iterable<Line>): Generator<InputRecord> {
    const { skipLines = 0 } = this.#input.options;
    for (const line of lines) {
      const record = line.number > skipLines ? this.#recordOf(line) : undefined;
      if (record !== undefined) yield record;
      if (this.isDone) return;
    }
  }

  /** Yields what is wrong at the end of the text, which may be a `fault` in `line`. */
  *end(line: number, fault?: RowFault): Generator<InputRecord> {
    const { skipLines = 0 } = this.#input.options;
    if (this.isDone) return;
    if (this.#title !== undefined) yield this.#fail(this.#title);
    else if (fault !== undefined) yield this.#fail({ line: this.#begun?.line ?? line, ...fault });
    else if (this.#begun !== undefined)
      yield this.#fail({ line: this.#begun.line, ...csvFault("neverClosed") });
    else if (this.#columns === undefined) {
      const message = `is empty: the first line must be a header (${usualHeader})`;
      yield this.#fail({ line: skipLines + 1, message, fatal: "header" });
    }
  }

  /** Returns the record that ends with a line, if one does that is not blank. */
  #recordOf({ number, text: own, end }: Line): InputRecord | undefined {
    const { line = number, text: before = "" } = this.#begun ?? {};
    const text = before + (own ?? "");
    const cells = this.#cellsOf(text, own);
    this.#begun = cells === undefined ? { line, text: text + end } : undefined;
    if (cells === undefined) return undefined;
    if ("message" in cells) {
      const isFatal = cells.fatal !== undefined || this.#columns === undefined;
      if (isFatal) return this.#fail(this.#title ?? { line, ...cells });
      return this.#record(line, cells, text.split("\t"));
    }
    const blank = this.#columns === undefined ? /^[\s,;"]*$/ : /^\s*$/;
    if (cells.every((cell) => blank.test(cell))) return undefined;
    return this.#columns === undefined
      ? this.#takeFirst(line, cells, end)
      : this.#record(line, this.#petOf(cells, this.#columns), cells);
  }

  /** Returns the values of a record, or what is wrong with it; undefined if it goes on in the next line. */
  #cellsOf(text: string, lastLine: string | undefined): readonly string[] | RowFault | undefined {
    const { format, options } = this.#input;
    const isTooLong = lastLine === undefined || text.length > maxRowBytes;
    if (format === "tsv") return isTooLong ? rowTooLong : tsvCells(text);
    if (isTooLong) return csvFault("tooLong");
    if (this.#begun !== undefined && !hasOddQuotes(lastLine)) return undefined;
    if (this.#columns === undefined) this.#delimiter = detectDelimiter(text, options.columnMap);
    return csvCells(text, this.#delimiter);
  }

  /** Takes the columns from the first record, or from the one after a title to say where it is. */
  #takeFirst(line: number, cells: readonly string[], end: string): InputRecord | undefined {
    const { options, onHeader } = this.#input;
    const { columnMap, noHeader = false } = options;
    const isKnown = countKnown(cells, columnMap) > 0;
    const title = this.#title;
    if (title !== undefined && isKnown) {
      const message = `is not a header, but line ${line} looks like one`;
      return this.#fail({ ...title, message, cure: [["--skip-lines", String(line - 1)]] });
    }
    if (title !== undefined)
      return line < title.line + maxTitleLines ? undefined : this.#fail(title);
    const header = readHeader(cells, options);
    if ("message" in header) {
      this.#title = { line, ...header, fatal: "header" };
      return isKnown || noHeader ? this.#fail(this.#title) : undefined;
    }
    this.#columns = header;
    const columns = noHeader ? cells.map((_cell, i) => columnName("", i)) : cells;
    onHeader?.({ columns, delimiter: this.#delimiter, lineEnd: end || "\n" });
    return noHeader ? this.#record(line, this.#petOf(cells, header), cells) : undefined;
  }

  #petOf(cells: readonly string[], columns: readonly Column[]): NewPet | RowFault {
    const fields: Record<string, unknown> = {};
    for (let at = 0; at < cells.length; at += 1) {
      const cell = cells[at] ?? "";
      const column = columns[at] ?? "unnamed";
      if (column === "unnamed" && cell !== "") return unnamedCell(cells, at, columns);
      if (typeof column === "object") fields[column.field] = parseCell(column.field, cell);
    }
    return parseRow(fields, this.#input.options);
  }

  #record(line: number, found: NewPet | RowFault, original: readonly string[]): InputRecord {
    this.#count += 1;
    return { read: rowAt(this.#count - 1, line, found), original };
  }

  /** Returns the record of a part that can't be read; no rows follow it. */
  #fail(fault: InvalidRow): InputRecord {
    this.isDone = true;
    return { read: { fatal: "content", ...fault }, original: [] };
  }
}

function unnamedCell(
  cells: readonly string[],
  columnIndex: number,
  columns: readonly Column[],
): RowFault {
  const advice = "quote values that contain a separator";
  if (columnIndex < columns.length)
    return {
      message: `has a value in column #${columnIndex + 1}, which has no name; ${advice}`,
      cure: [["--ignore-fields"]],
    };
  const named = columns.findLastIndex((column) => column !== "unnamed") + 1;
  const values = cells.findLastIndex((cell) => cell !== "") + 1;
  return {
    message: `has ${values} values but the header has ${named} ${named === 1 ? "column" : "columns"}; ${advice}`,
  };
}
