import type { RecordColumn, RenderedRecord, RenderOptions } from "../output/records.ts";
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
}

/**
 * Returns a printer of records with `columns`. Commands open it before they do anything else: it throws
 * a usage Failure if `--fields` names an unknown field.
 */
export async function openPrinter(
  context: Context,
  columns: readonly RecordColumn[],
): Promise<RecordPrinter> {
  const { settings, stdout, env } = context;
  const fields = await selectFields(settings.fields, columns);
  return {
    fields,
    async print(records, how) {
      const { renderRecords } = await import("../output/render.ts");
      const { isColored } = await import("../output/color.ts");
      const text = await renderRecords(records, {
        columns,
        format: settings.format,
        ...how,
        terminal: stdout.isTTY,
        color: isColored(env, stdout.isTTY, settings.color),
        ...(fields && { fields }),
        ...(stdout.columns !== undefined && { width: stdout.columns }),
      });
      if (text !== "") await stdout.write(text);
    },
  };
}

async function selectFields(
  names: readonly string[] | undefined,
  columns: readonly RecordColumn[],
): Promise<readonly string[] | undefined> {
  if (names === undefined) return undefined;
  const { chooseFields } = await import("../output/fields.ts");
  return chooseFields(
    names,
    columns.map(({ field }) => field),
  );
}
