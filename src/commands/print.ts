import type { Context } from "./context.ts";
import type { RecordColumn, RenderedRecord } from "../output/records.ts";

/**
 * The fields that `--fields` picks of the columns of what a command shows, looked at before it does
 * anything; undefined where all are shown. Throws a usage Failure that names the unknown field.
 */
export async function selectFields(context: Context, columns: readonly RecordColumn[]) {
  const { fields } = context.settings;
  if (fields === undefined) return undefined;
  const { chooseFields } = await import("../output/fields.ts");
  return chooseFields(
    fields,
    columns.map((column) => column.field),
  );
}

/** Prints records to standard output, in the format and with the fields that were asked for. */
export async function printRecords(
  context: Context,
  records: readonly RenderedRecord[],
  columns: readonly RecordColumn[],
  options: { readonly single: boolean },
): Promise<void> {
  const { renderRecords } = await import("../output/render.ts");
  const { isColored } = await import("../output/color.ts");
  const { settings, stdout, env } = context;
  const fields = await selectFields(context, columns);
  const text = await renderRecords(records, {
    columns,
    format: settings.format,
    single: options.single,
    terminal: stdout.isTTY,
    color: isColored(env, stdout.isTTY, settings.color),
    ...(fields && { fields }),
    ...(stdout.columns !== undefined && { width: stdout.columns }),
  });
  if (text !== "") await stdout.write(text);
}
