import type { Line } from "../../core/lines.ts";
import { escapeTsv } from "../../core/sanitize.ts";
import type { InputRecord, TableRecord, TextFault } from "../types.ts";
import { columnKey, type ColumnMap, isFieldName, type RowOptions } from "./columns.ts";
import { csvRecords, unread } from "./csv.ts";
import { Rereadable } from "./rereadable.ts";
import { rowTooLong } from "./row.ts";
import { asCsv } from "./suggest.ts";
import { isNothing, readTable } from "./table.ts";
import type { InputText } from "./text.ts";

/** Yields the rows of CSV as spreadsheets write it, or of TSV as `pets list -o tsv` does. Skips rows of empty cells. */
export function* readDelimited(
  input: InputText,
  format: "csv" | "tsv",
  options: RowOptions,
): Generator<InputRecord | undefined> {
  const isCsv = format === "csv";
  const faultOf = ({ text }: Line): TextFault | undefined => {
    if (text !== undefined) return undefined;
    return input.fault ?? (isCsv ? csvTooLong : rowTooLong);
  };
  const lines = new Rereadable(linesAfter(input, options.skipLines));
  const delimiter = isCsv ? findDelimiter(lines, options.columnMap) : "\t";
  const records = isCsv ? csvRecords(lines, delimiter, faultOf) : tsvRecords(lines, faultOf);
  input.shape = { ...input.shape, delimiter };
  yield* readTable(input, records, options, format);
}

// Where the next row begins is unknown: a quote may be open.
const csvTooLong: TextFault = { message: rowTooLong.message + unread, fatal: "content" };

/** Yields the lines behind those that are skipped; one that cannot be decoded is never skipped. */
function* linesAfter(input: InputText, skipLines = 0): Generator<Line> {
  for (const line of input.lines()) {
    if (line.number > skipLines || input.fault !== undefined) yield line;
  }
}

const maxPeeked = 20;
const maxPeekedLength = 256 * 1024;

/** Returns how the cells of CSV are separated, by its first lines: its header may come below titles. */
function findDelimiter(lines: Rereadable<Line>, columnMap: ColumnMap): string {
  const peeked = lines.take(maxPeeked, maxPeekedLength, ({ text = "" }) => text.length);
  lines.putBack(peeked);
  const found = peeked
    .filter(({ text = "" }) => !isNothing(text.split(/[,;"\t]/)))
    .map(({ text }) => detectDelimiter(text, columnMap));
  const [first] = found;
  const header = found.find(({ known, count }) => known > 0 || (first?.count === 1 && count > 1));
  return (header ?? first)?.delimiter ?? ",";
}

function* tsvRecords(
  lines: Rereadable<Line>,
  faultOf: (line: Line) => TextFault | undefined,
): Generator<TableRecord> {
  for (const line of lines) {
    const { number, text = "", end } = line;
    const cells = text.split("\t");
    const place = { line: number, end, cells };
    const fault = faultOf(line);
    if (fault !== undefined || !text.includes("\\")) yield { ...place, ...(fault && { fault }) };
    else if (text.replaceAll(escapes, "").includes("\\")) yield { ...place, fault: wrongEscape };
    else yield { ...place, cells: cells.map(unescapeTsv) };
  }
}

/** The characters that TSV escapes, by their escapes. */
const escaped = new Map(["\t", "\n", "\r", "\\"].map((each) => [escapeTsv(each), each]));
const escapes = /\\[tnr\\]/g;
const unescapeTsv = (cell: string): string =>
  cell.replaceAll(escapes, (escape) => escaped.get(escape) ?? "");

const wrongEscape: TextFault = {
  message: "unknown escape; write a backslash as \\\\",
  cure: [asCsv],
};

/** The delimiters that spreadsheets use, depending on their language. */
const delimiters = [",", ";", "\t", "|"] as const;

/** Returns the delimiter with the most `known` columns in a header, by their names or `--map`, then with the most columns. */
function detectDelimiter(header = "", columnMap: ColumnMap) {
  const isKnown = (cell: string): boolean => {
    const name = cell.trim().replace(/^"(.*)"$/, "$1");
    // Without its comma "Tier,Art" would be a name of one column.
    const isName = !/[,;\t|]/.test(name) && isFieldName(name);
    return isName || columnMap.has(columnKey(name));
  };
  const found = delimiters.map((delimiter) => {
    const cells = header.split(delimiter);
    return { delimiter, known: cells.filter(isKnown).length, count: cells.length };
  });
  return found.reduce((best, each) =>
    (each.known - best.known || each.count - best.count) > 0 ? each : best,
  );
}
