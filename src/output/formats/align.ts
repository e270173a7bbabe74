import type { ColumnFit } from "./table-layout.ts";

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
