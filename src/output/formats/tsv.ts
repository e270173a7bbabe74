import { escapeControls, escapeTsv } from "../../core/sanitize.ts";
import { fieldText, shownColumns } from "../records.ts";
import { type RecordWriter, streamOf } from "./format.ts";

/**
 * A line of field names and a line for each record, with tabs between the fields; tabs, line
 * ends and backslashes in values are escaped as `\t`, `\n`, `\r` and `\\`. On a terminal
 * other control characters are escaped too.
 */
export const tsvWriter = {
  open(options) {
    const columns = shownColumns(options);
    const show = options.terminal ? (text: string) => escapeControls(escapeTsv(text)) : escapeTsv;
    return streamOf(lineOf(columns.map(({ field }) => field)), (records) =>
      records
        .map((record) => lineOf(columns.map((column) => show(fieldText(record, column)))))
        .join(""),
    );
  },
} satisfies RecordWriter;

const lineOf = (cells: readonly string[]): string => `${cells.join("\t")}\n`;
