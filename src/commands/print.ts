import { targetOf } from "../output/color.ts";
import { type Column, selectColumns } from "../output/columns.ts";
import { formatRecords, openStream, type RecordStream } from "../output/formats/index.ts";
import type { Context } from "./context.ts";

/** Prints the records of a command. */
export interface RecordPrinter {
  /** The fields that `--fields` names; undefined if all are shown. */
  readonly fields: readonly string[] | undefined;
  /** Prints a list of records, or a single one, to standard output in the requested format. */
  print(records: object | readonly object[]): Promise<void>;
  /** Opens a text of records that come one by one. If it is `live`, JSON is one line per record. */
  stream(live: boolean): Promise<RecordStream>;
}

/**
 * Returns a printer of records with `columns`. Commands open it before they do anything else: it throws
 * a usage Failure if `--fields` names an unknown field.
 */
export async function openPrinter(
  context: Pick<Context, "settings" | "stdout" | "env">,
  columns: readonly Column[],
): Promise<RecordPrinter> {
  const { settings, stdout } = context;
  const { format } = settings;
  const fields =
    settings.fields && selectColumns(columns, settings.fields).map(({ field }) => field);
  const options = { format, columns, fields, ...targetOf(context) };
  return {
    fields,
    async print(records) {
      const text = await formatRecords(records, options);
      if (text !== "") await stdout.write(text);
    },
    stream: (live) =>
      openStream({ ...options, format: live && format === "json" ? "ndjson" : format }),
  };
}
