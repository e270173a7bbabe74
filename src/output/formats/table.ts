import { loadTheme, type Paint } from "../color.ts";
import { alignGrid, type Cell, fitColumns } from "./table-layout.ts";
import {
  type Column,
  fieldText,
  type RenderedRecord,
  type RenderOptions,
  shownColumns,
} from "../records.ts";
import { escapeAll, escapeControls } from "../text/sanitize.ts";
import { type TextMeasurer, measurerFor } from "../text/width.ts";

/** A table that is written part by part. */
export interface TableWriter {
  /** The line of headers. */
  readonly header: string;
  /** The lines of these records; cut where they are wider than the table was made for. */
  rows(records: readonly RenderedRecord[]): Promise<string>;
}

/** Where a table goes. */
export interface TableTarget {
  /** The width that no line may exceed; without it nothing is cut. */
  readonly width?: number;
  readonly color: boolean;
  /** Whether there may be thousands of rows. */
  readonly many?: boolean;
}

/** A header and a line for each record, or nothing without records (contract.md, What goes where). */
export async function renderTable(
  records: readonly RenderedRecord[],
  options: RenderOptions,
): Promise<string> {
  if (records.length === 0) return "";
  const columns = shownColumns(options);
  const { width, color, terminal } = options;
  const target = { color, ...(terminal && width !== undefined && { width }) };
  const { head, cellsOf, layOut } = await prepareTable(
    columns,
    await measureRecords(records, columns),
    target,
  );
  return layOut([head, ...(await cellsOf(records))]);
}

/** A table with columns wide enough for values of `contents` display columns and for the headers. */
export async function openTable(
  columns: readonly Column[],
  contents: readonly number[],
  target: TableTarget,
): Promise<TableWriter> {
  const { head, cellsOf, layOut } = await prepareTable(columns, contents, target);
  return { header: layOut([head]), rows: async (records) => layOut(await cellsOf(records)) };
}

async function prepareTable(
  columns: readonly Column[],
  contents: readonly number[],
  { width, color, many = false }: TableTarget,
) {
  const fit = fitColumns(columns, contents, width);
  const theme = await loadTheme(color);
  const renderGrid = many ? alignGrid : (await import("./table-layout.ts")).renderGrid;
  const headers = columns.map(({ header }) => header);
  const ruler = await measurerFor(headers);
  const head = headers.map((text, i) => cutCell(text, fit.widths[i] ?? 0, ruler, theme.header));
  const paints = columns.map(({ kind }) => (kind === "status" ? theme.status : undefined));
  return {
    head,
    layOut: (rows: readonly (readonly Cell[])[]) => renderGrid(rows, fit),
    cellsOf: async (records: readonly RenderedRecord[]): Promise<readonly (readonly Cell[])[]> => {
      const texts = cellTexts(records, columns);
      const measure = await measurerFor(texts.flat());
      const cells = (row: readonly string[]): Cell[] =>
        row.map((text, i) => cutCell(text, fit.widths[i] ?? 0, measure, paints[i]?.[text]));
      return texts.map(cells);
    },
  };
}

/** The display columns that the widest value of each of `columns` takes. */
export async function measureRecords(
  records: readonly RenderedRecord[],
  columns: readonly Column[],
): Promise<readonly number[]> {
  const texts = cellTexts(records, columns);
  const ruler = await measurerFor(texts.flat());
  return columns.map((_column, i) =>
    texts.reduce((most, row) => Math.max(most, ruler.width(visible(row[i] ?? "", ruler))), 0),
  );
}

/** The display columns that `text` takes in a table. `ruler` is right for any text. */
export function shownWidth(text: string, ruler: TextMeasurer): number {
  return ruler.width(visible(escapeControls(text), ruler));
}

function cellTexts(records: readonly RenderedRecord[], columns: readonly Column[]): string[][] {
  return records.map((record) =>
    columns.map((column) => escapeControls(fieldText(record, column))),
  );
}

function cutCell(
  text: string,
  width: number,
  ruler: TextMeasurer,
  paint: Paint = (same) => same,
): Cell {
  const cut = ruler.cut(visible(text, ruler), width);
  return { text: paint(cut), width: ruler.width(cut) };
}

// A text that takes no room would not be seen at all.
function visible(text: string, ruler: TextMeasurer): string {
  return text !== "" && ruler.width(text) === 0 ? escapeAll(text) : text;
}
