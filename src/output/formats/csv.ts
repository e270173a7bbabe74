import { stringify } from "csv-stringify/sync";
import { escapeControls } from "../../core/sanitize.ts";
import { fieldText, type Format, type FormatOptions } from "./index.ts";

/**
 * CSV with a header of field names and CRLF (RFC 4180): exact in a pipe, with control
 * characters escaped on a terminal.
 */
export function csvFormat({ columns, terminal }: FormatOptions): Format {
  const show = terminal ? escapeControls : (text: string) => text;
  const line = (cells: string[]): string =>
    stringify([cells], {
      record_delimiter: "windows",
      quote_record_delimiter: true,
      // A single empty field would be an empty line, which CSV readers skip.
      quoted_empty: columns.length === 1,
    });
  return {
    head: line(columns.map(({ field }) => field)),
    row: (record) => line(columns.map(({ field }) => show(fieldText(record, field)))),
    tail: () => "",
  };
}
