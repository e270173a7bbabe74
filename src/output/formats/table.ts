import Table from "cli-table3";
import { escapeControls } from "../../core/sanitize.ts";
import type { Paint, Theme } from "../color.ts";
import { type Column, fieldText } from "../columns.ts";
import { cutText, textWidth } from "../text.ts";

/** The widest column that rows are aligned to: one long name must not pad every other row. */
const maxAligned = 1024;

interface TableInput {
  /** That of the terminal; without one nothing is cut. */
  readonly width?: number | undefined;
  readonly columns: readonly Column[];
  /** All records, if they are known. */
  readonly records?: readonly object[] | undefined;
}

interface Cell {
  readonly text: string;
  readonly paint?: Paint | undefined;
}

type Line = readonly Cell[];

/** The columns of a table, and the blanks between two of them. */
interface Fit {
  readonly widths: readonly number[];
  readonly gap: number;
}

/**
 * A header and one line a record, without borders; nothing without records (`help output`). Columns are as wide as
 * all records need if those are known, else as they are declared. A wider number pushes the rest of its line out, and
 * a wider text too, unless it is cut to fit a terminal.
 */
export function tableText({ columns, records, width }: TableInput, theme: Theme) {
  const header: Line = columns.map((column) => ({ text: column.header, paint: theme.header }));
  const lineOf = (record: object): Line =>
    columns.map(({ field, kind }) => {
      const text = escapeControls(fieldText(record, field));
      return { text, paint: kind === "status" ? theme.status[text] : undefined };
    });
  const fitTo = (lines: readonly Line[]): Fit => {
    const contents = columns.map(({ kind, width: declared = 0 }, i) => {
      const widthOf = (line: Line): number => textWidth(line[i]?.text ?? "");
      const needed = lines.reduce((most, line) => Math.max(most, widthOf(line)), 0);
      if (records !== undefined) return Math.min(maxAligned, needed);
      const fixed = i === columns.length - 1 ? maxAligned : declared;
      return kind === "number" ? Math.max(fixed, needed) : fixed;
    });
    return fitColumns(columns, contents, width);
  };
  const cut = (line: Line, { widths }: Fit): Line =>
    width === undefined
      ? line
      : line.map(({ text, paint }, i) => ({ text: cutText(text, widths[i] ?? 0), paint }));
  if (records !== undefined) {
    const lines = records.map(lineOf);
    const fit = fitTo(lines);
    const shown = [header, ...lines].map((line) => cut(line, fit));
    return { head: "", rows: () => (lines.length === 0 ? "" : drawTable(shown, fit)) };
  }
  const fixed = fitTo([]);
  const draw = (line: Line, fit = width === undefined ? fixed : fitTo([line])): string =>
    padLine(cut(line, fit), fit);
  return {
    head: "",
    rows(next: readonly object[], index: number): string {
      const text = next.map((record) => draw(lineOf(record))).join("");
      return index === 0 && next.length > 0 ? draw(header, fixed) + text : text;
    },
  };
}

/** Fits columns into a terminal: the widest are cut to one width, but numbers and codes never, then the gaps. */
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
  let max = Math.min(Math.max(...wanted), Math.max(1, room));
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

/** As many lines as cli-table3 gets at once: its time is quadratic in them. */
const maxDrawn = 26;

function drawTable(lines: readonly Line[], { widths, gap }: Fit): string {
  // cli-table3 would cut it.
  const isWide = ({ text }: Cell, i: number): boolean => textWidth(text) > (widths[i] ?? 0);
  if (lines.some((line) => line.some(isWide)))
    return lines.map((line) => padLine(line, { widths, gap })).join("");
  const drawn: string[] = [];
  for (let at = 0; at < lines.length; at += maxDrawn) {
    const table = new Table({
      chars: { ...noBorders, middle: " ".repeat(gap) },
      colWidths: [...widths],
      style: { border: [], compact: true, "padding-left": 0, "padding-right": 0 },
    });
    for (const line of lines.slice(at, at + maxDrawn)) table.push(line.map(painted));
    drawn.push(...table.toString().split("\n"));
  }
  return drawn.map((line) => `${line.trimEnd()}\n`).join("");
}

/** Returns a line in columns of these widths; a wider cell pushes the others out. */
function padLine(line: Line, { widths, gap }: Fit): string {
  const cells = line.map(
    (cell, i) => painted(cell) + " ".repeat(Math.max(0, (widths[i] ?? 0) - textWidth(cell.text))),
  );
  return `${cells.join(" ".repeat(gap)).trimEnd()}\n`;
}

const painted = ({ text, paint = String }: Cell): string => paint(text);
