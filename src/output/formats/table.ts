import Table from "cli-table3";
import { escapeControls } from "../../core/sanitize.ts";
import type { Paint, Theme } from "../color.ts";
import type { Column } from "../columns.ts";
import { cutText, textWidth } from "../text/width.ts";
import { fieldText, type Format, type FormatOptions } from "./index.ts";

/** The widest column that rows are aligned to: one long name must not pad every other row. */
const maxAligned = 1024;

/**
 * A header and one line a record, without borders; nothing without records (`help output`). Columns are as wide as
 * all records need if those are known, else as they are declared. A wider number pushes the rest of its line out, and
 * a wider text too, unless it is cut to fit a terminal.
 */
export function tableFormat({ columns, records, width }: FormatOptions, theme: Theme): Format {
  const fitTo = (rows: readonly object[]): Fit => {
    const contents = columns.map((column, i) => {
      const widest = (most: number, row: object) =>
        Math.max(most, textWidth(cellText(row, column)));
      const needed = rows.reduce(widest, 0);
      if (records !== undefined) return Math.min(maxAligned, needed);
      const declared = i === columns.length - 1 ? maxAligned : (column.width ?? 0);
      return column.kind === "number" ? Math.max(declared, needed) : declared;
    });
    return fitColumns(columns, contents, width);
  };
  const shared = records && fitTo(records);
  return {
    head: "",
    row(record, index) {
      const { widths, gap } = shared ?? fitTo([record]);
      const cut = (text: string, i: number): string =>
        width === undefined ? text : cutText(text, widths[i] ?? 0);
      const header = columns.map((column, i) => ({
        text: cut(column.header, i),
        paint: theme.header,
      }));
      const cells = columns.map((column, i): Cell => {
        const text = cellText(record, column);
        const paint = column.kind === "status" ? theme.status[text] : undefined;
        return { text: column.kind === "number" ? text : cut(text, i), paint };
      });
      const lines = index === 0 ? [header, cells] : [cells];
      return lines.map((line) => drawLine(line, widths, gap)).join("");
    },
  };
}
interface Cell {
  readonly text: string;
  readonly paint: Paint | undefined;
}

/** The columns of a table, and the blanks between two of them. */
interface Fit {
  readonly widths: readonly number[];
  readonly gap: number;
}

const cellText = (record: object, { field }: Column): string =>
  escapeControls(fieldText(record, field));

/**
 * Fits columns of values as wide as `contents` into a terminal of `terminal` columns, without one as they are: the
 * widest are cut to one width, but numbers and codes never, then the gaps (`help output`).
 */
function fitColumns(
  columns: readonly Column[],
  contents: readonly number[],
  terminal = Infinity,
): Fit {
  const room = terminal - 2 * (columns.length - 1);
  const wanted = columns.map(({ header }, i) => Math.max(header.length, contents[i] ?? 0));
  const least = columns.map(({ kind }, i) => (kind === "number" ? (contents[i] ?? 1) : 1));
  const cutTo = (max: number): number[] =>
    wanted.map((width, i) => Math.min(width, Math.max(least[i] ?? 1, max)));
  let max = Math.max(...wanted);
  while (max > 1 && sum(cutTo(max)) > room) max -= 1;
  const widths = cutTo(max);
  return { widths, gap: sum(widths) > room ? 1 : 2 };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

const noBorders = Object.fromEntries(
  ["top", "bottom", "left", "right"]
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .map((border) => [border, ""]),
);

/**
 * Returns cells as a line, in columns of these widths; a wider cell pushes the others out. cli-table3 gets a line at a
 * time, and the widths of those cells that fit: it would cut the others, and its time for many rows is quadratic.
 */
function drawLine(cells: readonly Cell[], widths: readonly number[], gap: number): string {
  const table = new Table({
    chars: { ...noBorders, middle: " ".repeat(gap) },
    colWidths: cells.map(({ text }, i) => {
      const width = widths[i] ?? 0;
      return i === cells.length - 1 || textWidth(text) > width ? null : width;
    }),
    style: { border: [], compact: true, "padding-left": 0, "padding-right": 0 },
  });
  table.push(cells.map(({ text, paint = String }) => paint(text)));
  return `${table.toString().trimEnd()}\n`;
}
