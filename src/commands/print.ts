import { isColored } from "../output/color.ts";
import type { Column } from "../output/columns.ts";
import {
  type FormatOptions,
  formatRecords,
  isJson,
  openStream,
  type RecordStream,
} from "../output/formats/index.ts";
import type { Context } from "./context.ts";

type PrintContext = Pick<Context, "settings" | "stdout" | "env">;

/** Returns how standard output shows records with these columns. */
export function formatOptions(
  { settings, stdout, env }: PrintContext,
  columns: readonly Column[],
): FormatOptions {
  const { format, fields } = settings;
  const { isTTY: terminal, columns: width } = stdout;
  const color = isColored(env, terminal, settings.color);
  return { format, fields, columns, terminal, color, ...(terminal && { width }) };
}

/** Prints records as `--output` and `--fields` say, a single one as an object in JSON. */
export async function print(
  context: PrintContext,
  records: object | readonly object[],
  columns: readonly Column[],
): Promise<void> {
  const text = await formatRecords(records, formatOptions(context, columns));
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
  const options = formatOptions(context, columns);
  const isLive = live && options.format === "json";
  return openStream(isLive ? { ...options, format: "ndjson" } : options);
}
