import { stringify } from "csv-stringify/sync";
import { escapeControls } from "../../core/sanitize.ts";
import { fieldText, shownColumns } from "../records.ts";
import { type RecordWriter, streamOf } from "./format.ts";

/**
 * CSV with a header of field names and CRLF (RFC 4180): exact in a pipe, with control
 * characters escaped on a terminal.
 */
export const csvWriter = {
  open(options) {
    const columns = shownColumns(options);
    const show = options.terminal ? escapeControls : (text: string) => text;
    const linesOf = (rows: string[][]): string =>
      stringify(rows, {
        record_delimiter: "windows",
        quote_record_delimiter: true,
        // A single empty field would be an empty line, which CSV readers skip.
        quoted_empty: columns.length === 1,
      });
    return streamOf(linesOf([columns.map(({ field }) => field)]), (records) =>
      linesOf(records.map((record) => columns.map((column) => show(fieldText(record, column))))),
    );
  },
} satisfies RecordWriter;
