import type { RecordColumn, RenderedRecord } from "../records.ts";
import { type Cell, type ColumnFit, layOutTable, type TableTarget } from "./table-layout.ts";

/** A table whose rows are written as they arrive, any number of them. */
export interface TableWriter {
  /** The line of headers. */
  readonly header: string;
  /** Returns the lines of these records; on a terminal values wider than the table was opened for are cut. */
  readonly rows: (records: readonly RenderedRecord[]) => string;
}

/**
 * Opens a table with columns wide enough for values of `contents` terminal columns and for the
 * headers. Its lines are those of renderTable, without
 * cli-table3: a bulk run may write hundreds of thousands, and writes the first before it knows the
 * last.
 */
export async function openTable(
  columns: readonly RecordColumn[],
  contents: readonly number[],
  target: TableTarget,
): Promise<TableWriter> {
  const { fit, head, cells } = await layOutTable(columns, contents, target);
  return {
    header: alignCells(head, fit),
    rows: (records) => records.map((record) => alignCells(cells(record), fit)).join(""),
  };
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
