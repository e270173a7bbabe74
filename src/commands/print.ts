import { isColored } from "../output/color.ts";
import type { Column } from "../output/columns.ts";
import {
  type FormatOptions,
  formatRecords,
  isJson,
  isTable,
  openStream,
  type RecordStream,
} from "../output/formats/index.ts";
import type { ServiceContext } from "./service.ts";

type PrintContext = Pick<ServiceContext, "settings" | "stdout" | "env" | "secrets">;

/** Returns how standard output shows records with these columns. */
export function formatOptions(
  { settings, stdout, env }: Omit<PrintContext, "secrets">,
  columns: readonly Column[],
): FormatOptions {
  const { format, fields } = settings;
  const { isTTY: terminal, columns: width } = stdout;
  const color = isColored(env, terminal, settings.color);
  return { format, fields, columns, terminal, color, ...(terminal && { width }) };
}

export interface PrintOptions {
  /** By default those that its command declares. */
  readonly columns?: readonly Column[];
  /** What JSON has in place of the records, unless fields were chosen. */
  readonly json?: object;
  /** What is said on standard error if a table has no records. */
  readonly none?: string;
  /** The line that `--quiet` prints instead, unless a format is given. */
  readonly quiet?: string;
}

/** Prints records as `--output` and `--fields` say, a single one as an object in JSON. */
export async function print(
  context: PrintContext & Pick<ServiceContext, "note">,
  records: object | readonly object[],
  { columns = [], json = records, none, quiet }: PrintOptions,
): Promise<void> {
  const { settings, stdout, note, secrets } = context;
  if (quiet !== undefined && settings.quiet && settings.given.format === undefined)
    return stdout.write(`${quiet}\n`);
  const isWhole = isJson(settings) && settings.fields === undefined;
  const shown = secrets.inRecord(isWhole ? json : records);
  const text = await formatRecords(shown, formatOptions(context, columns));
  if (text !== "") await stdout.write(text);
  const isEmpty = Array.isArray(records) && records.length === 0;
  if (none !== undefined && isEmpty && isTable(settings)) await note(none);
}

/** Opens a text of records that come one by one. If it is `live`, JSON is one line per record. */
export async function openPrintStream(
  context: PrintContext,
  columns: readonly Column[],
  live: boolean,
): Promise<RecordStream> {
  const options = formatOptions(context, columns);
  const isLive = live && options.format === "json";
  const stream = await openStream(isLive ? { ...options, format: "ndjson" } : options);
  return { ...stream, add: (records) => stream.add(context.secrets.inRecord(records)) };
}
