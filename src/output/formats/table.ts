import { setImmediate as nextTurn } from "node:timers/promises";
import { Table } from "../../vendor/cli-table3.ts";
import { type RenderedRecord, type RenderOptions, shownColumns } from "../records.ts";
import { loadUnicodeMeasurer, measurerFor } from "../text/width.ts";
import type { RecordStream, RecordWriter, StreamOptions } from "./format.ts";
import {
  type Cell,
  cellText,
  cellWidth,
  type ColumnFit,
  layOutTable,
  type TableTarget,
} from "./table-layout.ts";

/** A header and one line a record, without borders; nothing without records (`help output`). */
export const tableWriter = { render, open } satisfies RecordWriter;

/** Opens a table as wide as `widths`; wider values are cut if they may be. */
async function open(options: StreamOptions): Promise<RecordStream> {
  const { openTable } = await import("./table-writer.ts");
  const measurer = await loadUnicodeMeasurer();
  const columns = shownColumns(options);
  const table = await openTable(columns, options.widths, targetOf(options), measurer);
  let { header } = table;
  return {
    add(records) {
      if (records.length === 0) return "";
      const start = header;
      header = "";
      return start + table.rows(records);
    },
    end: () => "",
  };
}

function targetOf({ width, color, terminal }: RenderOptions): TableTarget {
  return { color, ...(terminal && width !== undefined && { width }) };
}

async function render(records: readonly RenderedRecord[], options: RenderOptions): Promise<string> {
  if (records.length === 0) return "";
  const columns = shownColumns(options);
  const texts = columns.map((column) => records.map((record) => cellText(record, column)));
  const measurer = await measurerFor(texts.flat());
  const contents = texts.map((values) =>
    values.reduce((widest, text) => Math.max(widest, cellWidth(text, measurer)), 0),
  );
  const { fit, head, cells } = await layOutTable(columns, contents, targetOf(options), measurer);
  let text = drawTable([head, ...records.slice(0, stepRows).map(cells)], fit);
  for (let at = stepRows; at < records.length; at += stepRows) {
    await nextTurn();
    text += drawTable(records.slice(at, at + stepRows).map(cells), fit);
  }
  return text;
}

/** So many rows are drawn at once: signals are noticed between the steps, and cli-table3 takes no more memory. */
const stepRows = 200;

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
