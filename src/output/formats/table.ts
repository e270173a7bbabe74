import { setImmediate as nextTurn } from "node:timers/promises";
import Table from "cli-table3";
import type { RenderTarget } from "../color.ts";
import {
  type RecordColumn,
  type RenderedRecord,
  type RenderOptions,
  shownColumns,
} from "../records.ts";
import type { RecordWriter } from "./format.ts";
import {
  type Cell,
  cellText,
  cellWidth,
  type ColumnFit,
  layOutTable,
  openTable,
} from "./table-layout.ts";

/** A header and one line a record, without borders; nothing without records (`help output`). */
export const tableWriter = {
  render,
  open: (options) => openTable(shownColumns(options), options.widths, options),
} satisfies RecordWriter;

async function render(records: readonly RenderedRecord[], options: RenderOptions): Promise<string> {
  if (records.length === 0) return "";
  const columns = shownColumns(options);
  const contents = columns.map((column) =>
    records.reduce((widest, record) => Math.max(widest, cellWidth(cellText(record, column))), 0),
  );
  if (options.width === undefined && contents.some((width) => width > maxAligned))
    return renderLong(records, columns, contents, options);
  const { fit, head, cells } = await layOutTable(columns, contents, options);
  let text = drawTable([head, ...records.slice(0, stepRows).map(cells)], fit);
  for (let at = stepRows; at < records.length; at += stepRows) {
    await nextTurn();
    text += drawTable(records.slice(at, at + stepRows).map(cells), fit);
  }
  return text;
}

/** So many rows are drawn at once: signals are noticed between the steps, and cli-table3 takes no more memory. */
const stepRows = 200;

/** The widest column that rows are aligned to: one long name must not pad every other row. */
const maxAligned = 1024;

/** Returns a table in which values wider than `maxAligned` are complete, and shift the rest of their row. */
async function renderLong(
  records: readonly RenderedRecord[],
  columns: readonly RecordColumn[],
  contents: readonly number[],
  target: RenderTarget,
): Promise<string> {
  const aligned = contents.map((width) => Math.min(width, maxAligned));
  const table = await openTable(columns, aligned, target);
  return table.add(records);
}

const borders = ["top", "bottom"].flatMap((side) => [
  side,
  `${side}-mid`,
  `${side}-left`,
  `${side}-right`,
]);
const noBorders = Object.fromEntries([...borders, "left", "right"].map((border) => [border, ""]));

/** Returns rows of cells as lines of aligned columns, without blanks at their ends. */
function drawTable(rows: readonly (readonly Cell[])[], fit: ColumnFit): string {
  const table = new Table({
    chars: { ...noBorders, middle: " ".repeat(fit.gap) },
    colWidths: [...fit.widths],
    // Compact: no lines between rows.
    style: { border: [], compact: true, "padding-left": 0, "padding-right": 0 },
  });
  for (const row of rows) table.push(row.map(({ text }) => text));
  const lines = table.toString().split("\n");
  return lines.map((line, i) => `${withoutPadding(line, rows[i] ?? [], fit)}\n`).join("");
}

/** Returns a line without the blanks after its last value, which may end with blanks of its own. */
function withoutPadding(line: string, cells: readonly Cell[], { widths, gap }: ColumnFit): string {
  const last = Math.max(
    0,
    cells.findLastIndex(({ width }) => width > 0),
  );
  const padded = widths.slice(last).reduce((sum, width) => sum + width + gap, -gap);
  const padding = padded - (cells[last]?.width ?? 0);
  return line.slice(0, line.length - padding);
}
