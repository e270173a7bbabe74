import { escapeAll, escapeControls } from "../../core/sanitize.ts";
import { loadTheme, type Paint, type RenderTarget } from "../color.ts";
import { type RecordColumn, fieldText, type RenderedRecord } from "../records.ts";
import { cutText, textWidth } from "../text/width.ts";
import { type RecordStream, streamOf } from "./format.ts";

/** A cell that fits its column: what is shown, colour codes included, and the terminal columns it takes. */
export interface Cell {
  readonly text: string;
  readonly width: number;
}

/** How wide each column of a table is, and the blanks between two of them. */
export interface ColumnFit {
  readonly widths: readonly number[];
  readonly gap: number;
}

/** The shape of a table: its columns, the cells of its header, and those of any record. */
export interface TableLayout {
  readonly fit: ColumnFit;
  readonly head: readonly Cell[];
  readonly cells: (record: RenderedRecord) => readonly Cell[];
}

/**
 * Returns the layout of a table whose values are at most `contents` wide, column by column. On a
 * terminal values that are wider are cut; numbers and codes shift the rest of their line instead.
 */
export async function layOutTable(
  columns: readonly RecordColumn[],
  contents: readonly number[],
  { width, color }: Pick<RenderTarget, "width" | "color">,
): Promise<TableLayout> {
  const fit = fitColumns(columns, contents, width);
  const theme = await loadTheme(color);
  const rooms = width === undefined ? [] : fit.widths;
  return {
    fit,
    head: columns.map(({ header }, i) => cell(header, rooms[i], theme.header)),
    cells: (record) =>
      columns.map((column, i) => {
        const text = cellText(record, column);
        const room = isWhole(column) ? undefined : rooms[i];
        return cell(text, room, column.kind === "status" ? theme.status[text] : undefined);
      }),
  };
}

function cell(text: string, room?: number, paint: Paint = (same) => same): Cell {
  const shown = visible(text);
  const cut = room === undefined ? shown : cutText(shown, room);
  return { text: paint(cut), width: textWidth(cut) };
}

/** Returns the value of a column on one line, with control characters escaped. */
export function cellText(record: RenderedRecord, column: RecordColumn): string {
  return escapeControls(fieldText(record, column));
}

/** Returns the terminal columns that the text of a cell takes when nothing is cut. */
export function cellWidth(text: string): number {
  return textWidth(visible(text));
}

/** Returns `text`, as escapes if it has no width, such as a zero-width space alone. */
function visible(text: string): string {
  return text !== "" && textWidth(text) === 0 ? escapeAll(text) : text;
}

/**
 * Fits columns into a terminal of `terminal` columns; without one nothing is cut. `contents` are the
 * widths of the widest value of each. Flexible columns shrink first, then the headers of numbers
 * and codes, then other text, down to one column each, then the gaps: numbers and codes never
 * (`help output`).
 */
export function fitColumns(
  columns: readonly RecordColumn[],
  contents: readonly number[],
  terminal = Number.POSITIVE_INFINITY,
): ColumnFit {
  const natural = columns.map(({ header }, i) => Math.max(header.length, contents[i] ?? 0));
  const areWhole = columns.map(isWhole);
  const minimums = contents.map((width, i) => (areWhole[i] ? Math.max(1, width) : 1));
  const isFlexible = columns.map(({ flexible }) => flexible === true);
  const isOther = columns.map((_column, i) => !areWhole[i] && !isFlexible[i]);
  const room = terminal - 2 * (columns.length - 1);
  const fitted = [isFlexible, areWhole, isOther].reduce(
    (widths: readonly number[], shrinkable) => shrink(widths, minimums, shrinkable, room),
    natural,
  );
  return { widths: fitted, gap: sum(fitted) > room ? 1 : 2 };
}

/** Returns whether the values of a column are never cut. */
const isWhole = ({ kind }: RecordColumn): boolean => kind === "number" || kind === "code";

/** Returns the widths with the shrinkable ones cut to one common maximum: the largest with which all fit into `room`. */
function shrink(
  widths: readonly number[],
  minimums: readonly number[],
  shrinkable: readonly boolean[],
  room: number,
): readonly number[] {
  const cutTo = (max: number): number[] =>
    widths.map((width, i) =>
      shrinkable[i] ? Math.min(width, Math.max(minimums[i] ?? 1, max)) : width,
    );
  let [fits, tooWide] = [0, Math.max(...widths) + 1];
  while (tooWide - fits > 1) {
    const middle = Math.floor((fits + tooWide) / 2);
    if (sum(cutTo(middle)) <= room) fits = middle;
    else tooWide = middle;
  }
  return cutTo(fits);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * Opens a table with columns wide enough for values of `contents` terminal columns and for the
 * headers. Its lines are those of a whole table, without cli-table3: a bulk run may write hundreds of
 * thousands, and writes the first before it knows the last.
 */
export async function openTable(
  columns: readonly RecordColumn[],
  contents: readonly number[],
  target: Pick<RenderTarget, "width" | "color">,
): Promise<RecordStream> {
  const { fit, head, cells } = await layOutTable(columns, contents, target);
  const stream = streamOf(alignCells(head, fit), (records) =>
    records.map((record) => alignCells(cells(record), fit)).join(""),
  );
  return { add: (records) => (records.length === 0 ? "" : stream.add(records)), end: () => "" };
}

/** Returns one line of aligned columns, without blanks at its end. */
function alignCells(cells: readonly Cell[], { widths, gap }: ColumnFit): string {
  const last = cells.findLastIndex(({ width }) => width > 0);
  const padded = cells.slice(0, last + 1).map(({ text, width }, i) => {
    const padding = i === last ? 0 : Math.max(0, (widths[i] ?? 0) - width) + gap;
    return text + " ".repeat(padding);
  });
  return `${padded.join("")}\n`;
}
