import { outputFormatNames, type OutputFormatName } from "../../core/enums.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import { escapeControls, escapeTsv } from "../../core/sanitize.ts";
import { loadTheme, type Target } from "../color.ts";
import { type Column, selectColumns } from "../columns.ts";

/** The text of records. */
export interface Format {
  /** What stands before the first record, and without any. */
  readonly head: string;
  /** Returns the text of a record; `index` counts from 0. */
  readonly row: (record: object, index: number) => string;
  /** Returns what stands after the last of `count` records. */
  readonly tail?: (count: number) => string;
}

export interface FormatOptions extends Target {
  readonly columns: readonly Column[];
  /** Returns what JSON shows of a record. */
  readonly pick: (record: object) => object;
  readonly isSingle: boolean;
  /** The records, if all are known. */
  readonly records?: readonly object[];
}

interface OutputFormat {
  /** A table for people, records of flat fields, or JSON values, which may hold others: beside them errors are JSON. */
  readonly kind: "table" | "flat" | "json";
  readonly open: (options: FormatOptions) => Format | Promise<Format>;
}

const outputFormats: Readonly<Record<OutputFormatName, OutputFormat>> = {
  table: {
    kind: "table",
    async open(options) {
      const theme = await loadTheme(options.color);
      return (await import("./table.ts")).tableFormat(options, theme);
    },
  },
  json: { kind: "json", open: jsonFormat },
  ndjson: { kind: "json", open: (options) => jsonLines(options, 0) },
  csv: { kind: "flat", open: csvFormat },
  tsv: { kind: "flat", open: tsvFormat },
};

/** One JSON value and a line end: an array, or the single record; indented on a terminal only. */
function jsonFormat(options: FormatOptions): Format {
  const [indent, itemBreak] = options.terminal ? [2, "\n  "] : [0, ""];
  if (options.isSingle) return jsonLines(options, indent);
  return {
    head: "[",
    row(record, index) {
      const text = stringifyExact(options.pick(record), indent);
      // Not /^/gm, which also matches after U+2028 and U+2029: a name may contain them.
      return (index === 0 ? "" : ",") + itemBreak + text.replaceAll("\n", itemBreak);
    },
    tail: (count) => (options.terminal && count > 0 ? "\n]\n" : "]\n"),
  };
}

function jsonLines({ pick }: FormatOptions, indent: number): Format {
  return { head: "", row: (record) => `${stringifyExact(pick(record), indent)}\n` };
}

/** CSV with a header and CRLF (RFC 4180): exact in a pipe, with control characters escaped on a terminal. */
async function csvFormat({ columns, terminal }: FormatOptions): Promise<Format> {
  const { stringify } = await import("csv-stringify/sync");
  const show = terminal ? escapeControls : String;
  const line = (cellOf: (field: string) => string): string =>
    stringify([columns.map(({ field }) => cellOf(field))], {
      record_delimiter: "windows",
      quote_record_delimiter: true,
      // A single empty field would be an empty line, which CSV readers skip.
      quoted_empty: columns.length === 1,
    });
  return { head: line(String), row: (record) => line((field) => show(fieldText(record, field))) };
}

/** TSV with a header, and escapes for tabs, line ends and backslashes; on a terminal for other control characters too. */
function tsvFormat({ columns, terminal }: FormatOptions): Format {
  const show = terminal ? (text: string) => escapeControls(escapeTsv(text)) : escapeTsv;
  const line = (cellOf: (field: string) => string): string =>
    `${columns.map(({ field }) => cellOf(field)).join("\t")}\n`;
  return { head: line(String), row: (record) => line((field) => show(fieldText(record, field))) };
}

/** Returns the value of a field as text: JSON for what is nested, empty if it is missing. */
export function fieldText(record: object, field: string): string {
  const value: string | bigint | number | boolean | object = Reflect.get(record, field) ?? "";
  return typeof value === "object" ? stringifyExact(value) : String(value);
}

/** Returns the fields of the columns and no others, in the order of the columns. */
export function pickFields(record: object, columns: readonly Column[]): object {
  return Object.fromEntries(columns.map(({ field }) => [field, Reflect.get(record, field)]));
}

export interface PrintOptions extends Target {
  readonly format: OutputFormatName;
  /** What a record may have. JSON shows all that it holds, unless `fields` are named. */
  readonly columns: readonly Column[];
  /** The fields to show (`--fields`), in this order; undefined for all. */
  readonly fields?: readonly string[] | undefined;
}

/**
 * Returns a list of records, or a single one, ready for standard output (`help output`). Without records: `[]`,
 * nothing for NDJSON and tables, the header for CSV and TSV. Throws a usage Failure for an unknown field.
 */
export async function formatRecords(
  records: object | readonly object[],
  options: PrintOptions,
): Promise<string> {
  const isSingle = !Array.isArray(records);
  const list: readonly object[] = isSingle ? [records] : records;
  const stream = await openStream(options, { isSingle, records: list });
  return stream.add(list) + stream.end();
}

/** A text that is written record by record, in constant memory. */
export interface RecordStream {
  /** Returns the text of the next records, with any header or separator before them. */
  add(records: readonly object[]): string;
  /** Returns what follows the last record, or the whole text if there was none. */
  end(): string;
}

/** Opens a text of records that come one by one; a table has columns of a fixed width, which longer values push out. */
export async function openStream(
  { format, columns, fields, ...target }: PrintOptions,
  known: Pick<FormatOptions, "isSingle" | "records"> = { isSingle: false },
): Promise<RecordStream> {
  const shown = selectColumns(columns, fields);
  const { head, row, tail } = await outputFormats[format].open({
    ...target,
    ...known,
    columns: shown,
    pick: (record) => (fields === undefined ? record : pickFields(record, shown)),
  });
  let count = 0;
  let start = head;
  const takeStart = (): string => {
    const text = start;
    start = "";
    return text;
  };
  return {
    add: (records) => takeStart() + records.map((record) => row(record, count++)).join(""),
    end: () => takeStart() + (tail?.(count) ?? ""),
  };
}

/** Returns whether output is a table for people, with times of their zone and notes. */
export function isTable({ format }: Pick<PrintOptions, "format">): boolean {
  return outputFormats[format].kind === "table";
}

/** Returns whether output is JSON values, which may hold whole objects. */
export function isJson({ format }: Pick<PrintOptions, "format">): boolean {
  return outputFormats[format].kind === "json";
}

/** Returns whether errors are JSON, by options that may be wrong (`help output`). */
export function hasJsonErrors(
  { output, json }: { readonly output?: unknown; readonly json?: unknown },
  fromEnvironment = "",
): boolean {
  const asked = json === true ? "json" : (output ?? fromEnvironment);
  return outputFormatNames.some((name) => name === asked && isJson({ format: name }));
}
