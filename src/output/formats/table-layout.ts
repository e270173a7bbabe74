import { Table } from "../../vendor/cli-table3.ts";
import type { Column } from "../records.ts";

/** How wide each column of a table is, and the blanks between two of them. */
export interface ColumnFit {
  readonly widths: readonly number[];
  readonly gap: number;
}

/**
 * Fits columns into a terminal of `terminal` columns; without one nothing is cut. `contents` are the
 * widths of the widest value of each. Flexible columns give way first, then the headers of numbers
 * and codes, then other text, down to one column each, then the gaps: numbers and codes never
 * (contract.md, What goes where).
 */
export function fitColumns(
  columns: readonly Column[],
  contents: readonly number[],
  terminal = Number.POSITIVE_INFINITY,
): ColumnFit {
  const natural = columns.map(({ header }, i) => Math.max(header.length, contents[i] ?? 0));
  const isWhole = columns.map(({ kind }) => kind === "number" || kind === "code");
  const floors = contents.map((width, i) => (isWhole[i] ? Math.max(1, width) : 1));
  const isFlexible = columns.map(({ flexible }) => flexible === true);
  const isOther = columns.map((_column, i) => !isWhole[i] && !isFlexible[i]);
  const room = terminal - 2 * (columns.length - 1);
  const fitted = [isFlexible, isWhole, isOther].reduce(
    (widths: readonly number[], shrinkable) => shrink(widths, floors, shrinkable, room),
    natural,
  );
  return { widths: fitted, gap: sum(fitted) > room ? 1 : 2 };
}

/** Cuts the columns that give to one greatest width, so that all fit into `room`, or as far as they give. */
function shrink(
  widths: readonly number[],
  floors: readonly number[],
  shrinkable: readonly boolean[],
  room: number,
): readonly number[] {
  const cutTo = (most: number): number[] =>
    widths.map((width, i) =>
      shrinkable[i] ? Math.min(width, Math.max(floors[i] ?? 1, most)) : width,
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

/** A cell of a grid: what is shown, colour codes included, and the columns that it takes. */
export interface Cell {
  readonly text: string;
  readonly width: number;
}

/**
 * The lines of `renderGrid` (grid), laid out here: the library takes 60 µs a row, which thousands of
 * rows can't afford.
 */
export function alignGrid(rows: readonly (readonly Cell[])[], { widths, gap }: ColumnFit): string {
  const starts = widths.map((width) => width + gap);
  const line = (cells: readonly Cell[]): string => {
    const last = cells.findLastIndex(({ text }) => text !== "");
    const pad = ({ text, width }: Cell, i: number): string =>
      i === last ? text : text + " ".repeat(Math.max(0, (starts[i] ?? 0) - width));
    return cells
      .slice(0, last + 1)
      .map(pad)
      .join("");
  };
  return rows.map((cells) => `${line(cells)}\n`).join("");
}

// One column wide by every measure, and in no plain cell.
const filler = "█";
const fillers = /\u2588+/g;
const plain = /^(?:[!-~](?:[ -~]*[!-~])?)?$/;

const borderless = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
};

// The library takes its time by cells, so each column is one of many lines; but not of thousands.
const linesAtOnce = 32;

/** Rows of cells as lines of aligned columns, without the blanks at their ends. No cell is wider than its column. */
export function renderGrid(rows: readonly (readonly Cell[])[], fit: ColumnFit): string {
  let text = "";
  for (let at = 0; at < rows.length; at += linesAtOnce) {
    text += renderSome(rows.slice(at, at + linesAtOnce), fit);
  }
  return text;
}

// The library measures only ASCII reliably, so it lays out fillers in place of everything else.
function renderSome(rows: readonly (readonly Cell[])[], { widths, gap }: ColumnFit): string {
  const hidden: string[] = [];
  const standIn = ({ text, width }: Cell): string => {
    if (plain.test(text)) return text;
    hidden.push(text);
    return filler.repeat(width);
  };
  const shown = rows.map((row) => row.map(standIn));
  const table = new Table({
    chars: { ...borderless, middle: " ".repeat(gap) },
    colWidths: [...widths],
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  table.push(widths.map((_width, i) => shown.map((row) => row[i] ?? "").join("\n")));
  const lines = table.toString().split("\n");
  const laidOut = lines.map((line) => `${line.trimEnd()}\n`).join("");
  return laidOut.replace(fillers, () => hidden.shift() ?? "");
}
