import type { RecordStream } from "../output/formats/format.ts";
import {
  type RecordColumn,
  type RenderedRecord,
  type RenderOptions,
  shownColumns,
} from "../output/records.ts";
import type { Context } from "./context.ts";

/** Prints the records of a command. */
export interface RecordPrinter {
  /** The fields that `--fields` names; undefined if all are shown. */
  readonly fields: readonly string[] | undefined;
  /** Prints records to standard output in the requested format. */
  print(
    records: readonly RenderedRecord[],
    options: Pick<RenderOptions, "single" | "whole">,
  ): Promise<void>;
  /**
   * Opens a text of records that come one by one. A table is as wide as the `widths` of its fields; if it is `live`,
   * JSON is one line per record.
   */
  stream(widths: Readonly<Record<string, number>>, live: boolean): Promise<RecordStream>;
}

/**
 * Returns a printer of records with `columns`. Commands open it before they do anything else: it throws
 * a usage Failure if `--fields` names an unknown field.
 */
export async function openPrinter(
  context: Pick<Context, "settings" | "stdout" | "env">,
  columns: readonly RecordColumn[],
): Promise<RecordPrinter> {
  const { settings, stdout } = context;
  const fields = settings.fields && (await checkedFields(settings.fields, columns));
  const prepare = async () => {
    const { targetOf } = await import("../output/color.ts");
    return { columns, ...(fields && { fields }), ...targetOf(context) };
  };
  return {
    fields,
    async print(records, how) {
      const { renderRecords } = await import("../output/formats/index.ts");
      const options = { ...(await prepare()), ...how };
      const text = await renderRecords(records, settings.format, options);
      if (text !== "") await stdout.write(text);
    },
    async stream(widths, live) {
      const { outputFormats } = await import("../output/formats/index.ts");
      const options = { ...(await prepare()), single: false, whole: true, live };
      const shown = shownColumns(options).map(({ field }) => widths[field] ?? 0);
      const writer = await outputFormats[settings.format].load();
      return writer.open({ ...options, widths: shown });
    },
  };
}

async function checkedFields(names: readonly string[], columns: readonly RecordColumn[]) {
  const { chooseFields } = await import("../output/fields.ts");
  return chooseFields(
    names,
    columns.map(({ field }) => field),
  );
}
