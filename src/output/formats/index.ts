import { csvLine } from "../../core/csv.ts";
import { outputFormatNames, type OutputFormatName } from "../../core/enums.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import { escapeControls, escapeTsv } from "../../core/sanitize.ts";
import { loadTheme } from "../color.ts";
import { type Column, fieldText, pickFields, selectColumns } from "../columns.ts";

export interface FormatOptions {
  readonly format: OutputFormatName;
  readonly terminal: boolean;
  /** The width of the terminal, in columns; without one nothing is cut. */
  readonly width?: number | undefined;
  readonly color: boolean;
  /** What a record may have. JSON shows all that it holds, unless `fields` are named. */
  readonly columns: readonly Column[];
  /** The fields to show (`--fields`), in this order; undefined for all. */
  readonly fields?: readonly string[] | undefined;
}

/** What a format gets: the columns that are shown, and the records if all are known. */
interface FormatInput extends FormatOptions {
  readonly records?: readonly object[] | undefined;
  readonly isSingle: boolean;
}

/** The text of records: what stands before the first, and without any; that of the next; what stands after the last. */
interface RecordText {
  readonly head: string;
  readonly rows: (records: readonly object[], index: number) => string;
  readonly tail?: (count: number) => string;
}

type OutputFormat = (input: FormatInput) => RecordText | Promise<RecordText>;

const outputFormats: Readonly<Record<OutputFormatName, OutputFormat>> = {
  async table(input) {
    const theme = await loadTheme(input.color);
    return (await import("./table.ts")).tableText(input, theme);
  },
  json: jsonText,
  ndjson: (input) => jsonLines(input, 0),
  csv: csvText,
  tsv: tsvText,
};

/** One JSON value and a line end: an array, or the single record; indented on a terminal only. */
function jsonText(input: FormatInput): RecordText {
  const [indent, itemBreak] = input.terminal ? [2, "\n  "] : [0, ""];
  if (input.isSingle) return jsonLines(input, indent);
  const item = (record: object, index: number): string => {
    const text = stringifyExact(picked(record, input), indent);
    // Not /^/gm, which also matches after U+2028 and U+2029: a name may contain them.
    return (index === 0 ? "" : ",") + itemBreak + text.replaceAll("\n", itemBreak);
  };
  return {
    head: "[",
    rows: (records, index) => records.map((record, i) => item(record, index + i)).join(""),
    tail: (count) => (input.terminal && count > 0 ? "\n]\n" : "]\n"),
  };
}

function jsonLines(input: FormatInput, indent: number): RecordText {
  const line = (record: object) => `${stringifyExact(picked(record, input), indent)}\n`;
  return { head: "", rows: (records) => records.map(line).join("") };
}

/** Returns what JSON shows of a record. */
const picked = (record: object, { fields, columns }: FormatInput): object =>
  fields === undefined ? record : pickFields(record, columns);

/** CSV with a header and CRLF (RFC 4180): exact in a pipe, with control characters escaped on a terminal. */
function csvText({ columns, terminal }: FormatInput): RecordText {
  const show = terminal ? escapeControls : String;
  return lines(columns, (cells) => csvLine(cells.map(show)));
}

/** TSV with a header, and escapes for tabs, line ends and backslashes; on a terminal for other control characters too. */
function tsvText({ columns, terminal }: FormatInput): RecordText {
  const show = terminal ? (text: string) => escapeControls(escapeTsv(text)) : escapeTsv;
  return lines(columns, (cells) => `${cells.map(show).join("\t")}\n`);
}

function lines(columns: readonly Column[], line: (cells: readonly string[]) => string): RecordText {
  const fields = columns.map(({ field }) => field);
  const row = (record: object) => line(fields.map((field) => fieldText(record, field)));
  return { head: line(fields), rows: (records) => records.map(row).join("") };
}

function open(
  options: FormatOptions,
  known: Pick<FormatInput, "records" | "isSingle">,
): RecordText | Promise<RecordText> {
  const columns = selectColumns(options.columns, options.fields);
  return outputFormats[options.format]({ ...options, ...known, columns });
}

/** Returns a list of records, or a single one, as text (`help output`). Throws a usage Failure for an unknown field. */
export async function formatRecords(
  records: object | readonly object[],
  options: FormatOptions,
): Promise<string> {
  const isSingle = !Array.isArray(records);
  const list: readonly object[] = isSingle ? [records] : records;
  const { head, rows, tail } = await open(options, { records: list, isSingle });
  return head + rows(list, 0) + (tail?.(list.length) ?? "");
}

/** A text that is written record by record, in constant memory. */
export interface RecordStream {
  /** Returns the text of the next records, with any header or separator before them. */
  add(records: readonly object[]): string;
  /** Returns what follows the last record, or the whole text if there was none. */
  end(): string;
}

/** Opens a text of records that come one by one; a table has columns of a fixed width, which longer values push out. */
export async function openStream(options: FormatOptions): Promise<RecordStream> {
  const { head, rows, tail } = await open(options, { isSingle: false });
  let count = 0;
  let start = head;
  const add = (records: readonly object[]): string => {
    const text = start + rows(records, count);
    start = "";
    count += records.length;
    return text;
  };
  return { add, end: () => add([]) + (tail?.(count) ?? "") };
}

/** Returns whether output is a table for people, with times of their zone and notes. */
export function isTable({ format }: Pick<FormatOptions, "format">): boolean {
  return format === "table";
}

/** Returns whether output is JSON values, which may hold whole objects. */
export function isJson({ format }: Pick<FormatOptions, "format">): boolean {
  return format === "json" || format === "ndjson";
}

/** Returns whether errors are JSON, by options that may be wrong (`help output`). */
export function hasJsonErrors(
  { output, json }: { readonly output?: unknown; readonly json?: unknown },
  fromEnvironment = "",
): boolean {
  const asked = json === true ? "json" : (output ?? fromEnvironment.trim());
  return outputFormatNames.some((name) => name === asked && isJson({ format: name }));
}
