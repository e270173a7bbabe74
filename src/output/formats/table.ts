import { Table } from "../../vendor/cli-table3.ts";
import { type RenderedRecord, type RenderOptions, shownColumns } from "../records.ts";
import { measurerFor } from "../text/width.ts";
import { type Cell, cellText, cellWidth, type ColumnFit, layOutTable } from "./table-layout.ts";

/** Returns a header and a line for each record; nothing without records (contract.md, What goes where). */
export async function renderTable(
  records: readonly RenderedRecord[],
  options: RenderOptions,
): Promise<string> {
  if (records.length === 0) return "";
  const columns = shownColumns(options);
  const { width, color, terminal } = options;
  const target = { color, ...(terminal && width !== undefined && { width }) };
  const texts = columns.map((column) => records.map((record) => cellText(record, column)));
  const measurer = await measurerFor(texts.flat());
  const contents = texts.map((values) =>
    values.reduce((widest, text) => Math.max(widest, cellWidth(text, measurer)), 0),
  );
  const { fit, head, cells } = await layOutTable(columns, contents, target, measurer);
  return drawTable([head, ...records.map(cells)], fit);
}

const noBorders = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  right: "",
};

/**
 * Returns rows of cells as lines of aligned columns, without blanks at their ends.
 *
 * cli-table3 miscounts newer emoji and some scripts, and a name's own blanks look like its padding.
 * So it lays out a run of `x` as wide as each cell, and then the texts replace the runs.
 */
function drawTable(rows: readonly (readonly Cell[])[], { widths, gap }: ColumnFit): string {
  const table = new Table({
    chars: { ...noBorders, middle: " ".repeat(gap) },
    colWidths: [...widths],
    // Compact: no lines between rows.
    style: { border: [], compact: true, "padding-left": 0, "padding-right": 0 },
  });
  table.push(...rows.map((row) => row.map(({ width }) => "x".repeat(width))));
  const texts = rows.flat().filter(({ width }) => width > 0);
  const lines = table.toString().split("\n");
  return lines
    .map((line) => `${line.trimEnd()}\n`)
    .join("")
    .replace(/x+/g, () => texts.shift()?.text ?? "");
}
