import { stringifyExact } from "../../core/json/stringify.ts";
import type { RecordedRow } from "../database/rows.ts";
import type { InputFormat, InputRecord, InputShape } from "../types.ts";
import { isIgnoredColumn } from "../input/fields.ts";

/** What became of a row. */
export interface RowResult extends Partial<Pick<RecordedRow, "id" | "code" | "error">> {
  readonly outcome: string;
}

/** A row of the input, and what became of it. */
interface ResultRow {
  readonly original: InputRecord["original"];
  readonly result: RowResult;
}

/** Writes rows in one format. */
export interface ResultsFormat {
  readonly start: string;
  row(row: ResultRow): string;
  end(): string;
}

const added = ["outcome", "id", "error"] as const;

/** The names and values of a row, in their order; JSON values as they are written. */
type Entries = readonly (readonly [name: string, value: unknown])[];

/** Where an input's rows come from. */
export interface ResultsInput {
  readonly format: InputFormat;
  readonly shape: InputShape;
}

/** Returns the format that writes what `input` has, as its own or another one. */
export function resultsFormat(
  format: InputFormat,
  input: ResultsInput,
  columns: readonly string[],
): ResultsFormat {
  const mark = format === input.format && input.shape.hasByteOrderMark ? "\ufeff" : "";
  const written =
    format === "csv" || format === "tsv" ? delimited(format, input, columns) : json(format, input);
  return { ...written, start: mark + written.start };
}

function delimited(
  format: "csv" | "tsv",
  input: ResultsInput,
  columns: readonly string[],
): ResultsFormat {
  const isSame = format === input.format;
  const separator = format === "tsv" ? "\t" : isSame ? (input.shape.delimiter ?? ",") : ",";
  const lineEnd = isSame ? input.shape.lineEnd : format === "tsv" ? "\n" : "\r\n";
  const cell = format === "tsv" ? tsvCell : (text: string) => csvCell(text, separator);
  const line = (cells: readonly string[]): string => cells.map(cell).join(separator) + lineEnd;
  const kept = columns.flatMap((name, at) => (isIgnoredColumn(name) ? [] : [at]));
  const names = kept.map((at) => columns[at] ?? "");
  return {
    start: line([...names, ...added]),
    end: () => "",
    row({ original, result: { outcome, id, error } }) {
      const values = new Map(typeof original === "string" ? entriesOf(original) : []);
      const own =
        typeof original === "string"
          ? names.map((name) => textOf(values.get(name)))
          : kept.map((at) => original[at] ?? "");
      return line([...own, outcome, id ?? "", error ?? ""]);
    },
  };
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : stringifyExact(value);
}

// A separator, a quote or a line end, also one that other programs take for it (RFC 4180).
function csvCell(text: string, separator: string): string {
  const isPlain = !text.includes(separator) && !/["\r\n]/.test(text) && text.trim() === text;
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}

const tsvEscapes: Readonly<Record<string, string>> = {
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
  "\\": "\\\\",
};

const tsvCell = (text: string): string =>
  text.replace(/[\t\n\r\\]/g, (character) => tsvEscapes[character] ?? character);

function json(format: "json" | "ndjson", { shape }: ResultsInput): ResultsFormat {
  let before = format === "json" ? "[\n" : "";
  return {
    start: "",
    end: () => (format === "ndjson" ? "" : before === "[\n" ? "[]\n" : "\n]\n"),
    row({ original, result: { outcome, id, code, error } }) {
      const entries = typeof original === "string" ? entriesOf(original) : cellsOf(original, shape);
      const all: Entries = [
        ...entries.filter(([name]) => !isIgnoredColumn(name)),
        ["outcome", outcome],
        ...(typeof id === "string" ? [["id", JSON.rawJSON(id)] as const] : []),
        ...(typeof error === "string" ? [["error", { code, message: error }] as const] : []),
      ];
      const text = `{${all.map(([name, value]) => `${stringifyExact(name)}:${stringifyExact(value)}`).join(",")}}`;
      const start = before;
      before = format === "json" ? ",\n" : "";
      return start + text + (format === "ndjson" ? "\n" : "");
    },
  };
}

/** Returns the cells by the names of their columns; a name that comes again gets its place. */
function cellsOf(cells: readonly string[], { columns = [] }: InputShape): Entries {
  return cells.map((cell, at) => {
    const name = columns[at] ?? "";
    const isTaken = name === "" || columns.indexOf(name) < at;
    return [isTaken ? `${name}#${at + 1}` : name, cell];
  });
}

/** Returns the keys and values of a JSON object, with numbers as they are written; none of any other text. */
export function entriesOf(text: string): Entries {
  if (!text.trimStart().startsWith("{")) return [];
  try {
    return Object.entries(JSON.parse(text, asWritten) ?? {});
  } catch {
    return [];
  }
}

function asWritten(
  _key: string,
  value: unknown,
  { source }: { readonly source?: string },
): unknown {
  return typeof value === "number" && source !== undefined ? JSON.rawJSON(source) : value;
}
