import { type Line, LineSplitter } from "../../core/lines.ts";
import type { NewPet } from "../../core/pet.ts";
import type { InputRecord, InputShape, RowFault } from "../types.ts";
import {
  countKnown,
  csvCells,
  csvFault,
  detectDelimiter,
  hasOddQuotes,
  isBlankLine,
  tsvCells,
} from "./cells.ts";
import { type Column, columnName, readHeader, usualHeader } from "./columns.ts";
import {
  maxRowBytes,
  parseCell,
  parseRow,
  rowAt,
  type RowOptions,
  rowTooLong,
  setField,
} from "./row.ts";
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

/** The values of a record, or what is wrong with it. */
type Cells = readonly string[] | RowFault;

interface FirstRecord {
  readonly line: number;
  readonly cells: Cells;
  readonly text: string;
  readonly end: string;
}

/** A first record that is no header, and may be a title above it. */
interface Title {
  readonly line: number;
  readonly fault: RowFault;
}

/** How many lines after a title are searched for the header. */
const maxTitleLines = 10;

/** Turns the lines of CSV or TSV into rows; the first that is not blank names the columns, but with `noHeader`. */
class DelimitedRows {
  readonly #input: DelimitedInput;
  #delimiter: string | undefined;
  #columns: readonly Column[] | undefined;
  #count = 0;
  #isDone = false;
  /** The lines so far of a CSV record that goes on. */
  #begun: { readonly line: number; readonly text: string } | undefined;
  #title: Title | undefined;

  constructor(input: DelimitedInput) {
    this.#input = input;
  }

  /** Whether no more rows follow. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Yields the rows that end with the next lines. */
  *read(lines: Iterable<Line>): Generator<InputRecord> {
    const { skipLines = 0 } = this.#input.options;
    for (const line of lines) {
      const record = line.number > skipLines ? this.#recordOf(line) : undefined;
      if (record !== undefined) yield record;
      if (this.#isDone) return;
    }
  }

  /** Yields what is wrong at the end of the text, which may be a `fault` in `line`. */
  *end(line: number, fault?: RowFault): Generator<InputRecord> {
    if (this.#isDone) return;
    const { skipLines = 0 } = this.#input.options;
    if (this.#title !== undefined) yield this.#fail(this.#title.line, this.#title.fault);
    else if (fault !== undefined) yield this.#fail(this.#begun?.line ?? line, fault);
    else if (this.#begun !== undefined) yield this.#fail(this.#begun.line, csvFault("neverClosed"));
    else if (this.#columns === undefined)
      yield this.#fail(skipLines + 1, {
        fatal: "header",
        message: `is empty: the first line must be a header (${usualHeader})`,
      });
  }

  /** Returns the record that ends with a line, if one does that is not blank. */
  #recordOf({ number, text: own, end }: Line): InputRecord | undefined {
    const { line = number, text: before = "" } = this.#begun ?? {};
    const text = before + (own ?? "");
    const cells = this.#cellsOf(text, own);
    this.#begun = cells === undefined ? { line, text: text + end } : undefined;
    if (cells === undefined) return undefined;
    if (this.#columns === undefined) return this.#takeFirst({ line, cells, text, end });
    if ("message" in cells)
      return cells.fatal === undefined ? this.#row(line, cells, text) : this.#fail(line, cells);
    return cells.every(isBlank) ? undefined : this.#row(line, cells, text);
  }

  /** Returns the values of a record, or what is wrong with it; undefined if it goes on in the next line. */
  #cellsOf(text: string, lastLine: string | undefined): Cells | undefined {
    const { format, options } = this.#input;
    const isTooLong = lastLine === undefined || text.length > maxRowBytes;
    if (format === "tsv") return isTooLong ? rowTooLong : tsvCells(text);
    if (isTooLong) return csvFault("tooLong");
    if (this.#begun !== undefined && !hasOddQuotes(lastLine)) return undefined;
    return csvCells(text, this.#delimiter ?? detectDelimiter(text, options.columnMap));
  }

  /** Takes the columns from the first record, unless it is a title. */
  #takeFirst({ line, cells, text, end }: FirstRecord): InputRecord | undefined {
    const { options, format, onHeader } = this.#input;
    const { columnMap, noHeader = false } = options;
    const isKnown = !("message" in cells) && countKnown(cells, columnMap) > 0;
    if (this.#title !== undefined) return this.#afterTitle(this.#title, line, isKnown);
    if ("message" in cells) return this.#fail(line, cells);
    if (isBlankLine(text)) return undefined;
    const header = readHeader(cells, options);
    if (!("columns" in header)) {
      this.#title = { line, fault: { ...header, fatal: "header" } };
      return isKnown || noHeader ? this.#fail(line, this.#title.fault) : undefined;
    }
    this.#columns = header.columns;
    const delimiter = format === "tsv" ? "\t" : detectDelimiter(text, columnMap);
    const names = noHeader ? cells.map((_cell, i) => columnName("", i)) : cells;
    this.#delimiter = delimiter;
    onHeader?.({ columns: names, delimiter, lineEnd: end || "\n" });
    return noHeader ? this.#row(line, cells, text) : undefined;
  }

  /** Returns what is wrong with a title: where the header is, if one of the next lines names a column. */
  #afterTitle(title: Title, line: number, isHeader: boolean): InputRecord | undefined {
    if (!isHeader)
      return line < title.line + maxTitleLines ? undefined : this.#fail(title.line, title.fault);
    return this.#fail(title.line, {
      fatal: "header",
      message: `is not a header, but line ${line} looks like one`,
      cure: ["--skip-lines", String(line - 1)],
    });
  }

  #row(line: number, cells: Cells, text: string): InputRecord {
    const index = this.#count;
    this.#count += 1;
    if ("message" in cells) return { read: { line, ...cells }, original: text.split("\t") };
    return { read: rowAt(index, line, this.#petOf(cells)), original: cells };
  }

  #petOf(cells: readonly string[]): NewPet | RowFault {
    const fields: Record<string, unknown> = {};
    const columns = this.#columns ?? [];
    for (let at = 0; at < cells.length; at += 1) {
      const cell = cells[at] ?? "";
      const column = columns[at] ?? "unnamed";
      if (column === "unnamed" && cell !== "") return unnamedCell(cells, at, columns);
      if (typeof column === "object") setField(fields, column.field, parseCell(column.field, cell));
    }
    return parseRow(fields, this.#input.options);
  }

  /** Returns the record of a part that can't be read; no rows follow it. */
  #fail(line: number, fault: RowFault): InputRecord {
    this.#isDone = true;
    return { read: { fatal: "content", ...fault, line }, original: [] };
  }
}

function isBlank(cell: string): boolean {
  return cell === "" || cell.trim() === "";
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
      cure: ["--ignore-fields"],
    };
  const named = columns.findLastIndex((column) => column !== "unnamed") + 1;
  const values = cells.findLastIndex((cell) => cell !== "") + 1;
  return {
    message: `has ${values} values but the header has ${named} ${named === 1 ? "column" : "columns"}; ${advice}`,
  };
}
