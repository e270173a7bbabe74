import { stringify } from "../../vendor/csv-stringify.ts";
import { fieldText, type RenderedRecord, type RenderOptions, shownColumns } from "../records.ts";
import { escapeControls } from "../text/sanitize.ts";

/**
 * CSV with a header of field names and CRLF (RFC 4180), exact in a pipe; for a terminal with
 * control characters escaped.
 */
export function renderCsv(records: readonly RenderedRecord[], options: RenderOptions): string {
  const columns = shownColumns(options);
  const show = options.terminal ? escapeControls : (text: string) => text;
  const rows = records.map((record) => columns.map((column) => show(fieldText(record, column))));
  const head = options.header === false ? [] : [columns.map(({ field }) => field)];
  return stringify([...head, ...rows], {
    record_delimiter: "windows",
    quote_record_delimiter: true,
    // A line of one empty field would be an empty line, which readers of CSV skip.
    quoted_empty: columns.length === 1,
  });
}
