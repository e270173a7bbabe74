import { stringifyExact } from "../../core/json/stringify.ts";
import { escapeTsv } from "../../core/sanitize.ts";
import type { RecordedRow } from "../database/rows.ts";
import { isIgnoredColumn, resultFields } from "../input/fields.ts";
import type { ImportInput } from "../input/input.ts";
import type { InputFormat, InputRecord, InputShape } from "../types.ts";

/** What became of a row. */
export interface RowResult extends Partial<Pick<RecordedRow, "id" | "code" | "error">> {
  readonly outcome: string;
}

/** Writes rows in one format. */
export interface ResultsFormat {
  readonly start: string;
  row(number: number, original: InputRecord["original"], result: RowResult): string;
  end(rows: number): string;
}

/** The names and values of a row, in their order; JSON values as they are written. */
type Entries = readonly (readonly [name: string, value: unknown])[];

/** Returns whether a format has cells. */
export const isTable = (format: InputFormat): boolean => format === "csv" || format === "tsv";

/** Returns the format that writes what `input` has, as its own or another one. */
export function resultsFormat(
  format: InputFormat,
  input: Pick<ImportInput, "format" | "shape">,
  columns: readonly string[],
): ResultsFormat {
  const shape: Partial<InputShape> = format === input.format ? input.shape : {};
  const written = isTable(format)
    ? delimited(format === "tsv", shape, columns)
    : json(format === "json", input.shape);
  return { ...written, start: (shape.hasByteOrderMark ? "\ufeff" : "") + written.start };
}

function delimited(
  isTsv: boolean,
  { delimiter = isTsv ? "\t" : ",", lineEnd = isTsv ? "\n" : "\r\n" }: Partial<InputShape>,
  columns: readonly string[],
): ResultsFormat {
  const cell = isTsv ? escapeTsv : (text: string) => csvCell(text, delimiter);
  const line = (cells: readonly string[]): string => cells.map(cell).join(delimiter) + lineEnd;
  const kept = columns.flatMap((name, at) => (isIgnoredColumn(name) ? [] : [{ name, at }]));
  return {
    start: line([...kept.map(({ name }) => name), ...resultFields]),
    end: () => "",
    row(_number, original, result) {
      const values = new Map(typeof original === "string" ? entriesOf(original) : []);
      const own = kept.map(({ name, at }) =>
        typeof original === "string" ? textOf(values.get(name)) : (original[at] ?? ""),
      );
      return line([...own, ...resultFields.map((field) => result[field] ?? "")]);
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

function json(isArray: boolean, shape: InputShape): ResultsFormat {
  const [first, between, after] = isArray ? ["[\n", ",\n", ""] : ["", "", "\n"];
  return {
    start: "",
    end: (rows) => (isArray ? `${rows === 0 ? "[" : "\n"}]\n` : ""),
    row(number, original, result) {
      const entries = typeof original === "string" ? entriesOf(original) : cellsOf(original, shape);
      const members = [
        ...entries.filter(([name]) => !isIgnoredColumn(name)),
        ...resultFields.flatMap((field) =>
          typeof result[field] === "string" ? [[field, jsonOf[field](result[field], result)]] : [],
        ),
      ].map(([name, value]) => `${stringifyExact(name)}:${stringifyExact(value)}`);
      return `${number === 0 ? first : between}{${members.join(",")}}${after}`;
    },
  };
}

/** Returns what JSON has of each field of a result. */
const jsonOf: Readonly<
  Record<(typeof resultFields)[number], (text: string, result: RowResult) => unknown>
> = {
  outcome: (text) => text,
  id: (text) => JSON.rawJSON(text),
  error: (message, { code }) => ({ code, message }),
};

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
