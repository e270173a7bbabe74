import { fieldText, type RenderedRecord, type RenderOptions, shownColumns } from "../records.ts";
import { escapeControls, escapeTsv } from "../../core/sanitize.ts";
import { type RecordWriter, streamOf } from "./format.ts";

export const tsvWriter = {
  render,
  open: (options) => streamOf(render, options),
} satisfies RecordWriter;

/**
 * Returns a line of field names and a line for each record, with tabs between the fields; tabs, line
 * ends and backslashes in values are escaped as `\t`, `\n`, `\r` and `\\`. On a terminal
 * other control characters are escaped too.
 */
function render(records: readonly RenderedRecord[], options: RenderOptions): string {
  const columns = shownColumns(options);
  const show = options.terminal ? (text: string) => escapeControls(escapeTsv(text)) : escapeTsv;
  const rows = records.map((record) => columns.map((column) => show(fieldText(record, column))));
  const head = options.header === false ? [] : [columns.map(({ field }) => field)];
  return [...head, ...rows].map((cells) => `${cells.join("\t")}\n`).join("");
}
