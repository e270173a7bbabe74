import { renderOptions } from "../output/color.ts";
import type { Column } from "../output/columns.ts";
import { formatRecords, isJson, openStream, type RecordStream } from "../output/formats/index.ts";
import type { Context } from "./context.ts";

type PrintContext = Pick<Context, "settings" | "stdout" | "env">;

/** Prints records as `--output` and `--fields` say, a single one as an object in JSON. */
export async function print(
  context: PrintContext,
  records: object | readonly object[],
  columns: readonly Column[],
): Promise<void> {
  const { format, fields } = context.settings;
  const text = await formatRecords(records, { format, fields, columns, ...renderOptions(context) });
  if (text !== "") await context.stdout.write(text);
}

/** Prints `value`, of which JSON has all unless fields were chosen; other formats show `records` of it. */
export function printWhole(
  context: PrintContext,
  value: object,
  columns: readonly Column[],
  records = value,
): Promise<void> {
  const isWhole = isJson(context.settings) && context.settings.fields === undefined;
  return print(context, isWhole ? value : records, columns);
}

/** Opens a text of records that come one by one. If it is `live`, JSON is one line per record. */
export function openPrintStream(
  context: PrintContext,
  columns: readonly Column[],
  live: boolean,
): Promise<RecordStream> {
  const { format, fields } = context.settings;
  const shown = live && format === "json" ? "ndjson" : format;
  return openStream({ format: shown, fields, columns, ...renderOptions(context) });
}
