import { stringify } from "../../vendor/csv-stringify.ts";
import { fieldText, type RenderedRecord, type RenderOptions, shownColumns } from "../records.ts";
import { escapeControls } from "../../core/sanitize.ts";
import { type RecordWriter, streamOf } from "./format.ts";

export const csvWriter = {
  render,
  open: (options) => streamOf(render, options),
} satisfies RecordWriter;

/**
 * Returns CSV with a header of field names and CRLF (RFC 4180): exact in a pipe, with control
 * characters escaped on a terminal.
 */
function render(records: readonly RenderedRecord[], options: RenderOptions): string {
  const columns = shownColumns(options);
  const show = options.terminal ? escapeControls : (text: string) => text;
  const rows = records.map((record) => columns.map((column) => show(fieldText(record, column))));
  const head = options.header === false ? [] : [columns.map(({ field }) => field)];
  return stringify([...head, ...rows], {
    record_delimiter: "windows",
    quote_record_delimiter: true,
    // A single empty field would be an empty line, which CSV readers skip.
    quoted_empty: columns.length === 1,
  });
}
