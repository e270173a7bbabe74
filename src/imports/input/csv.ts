import type { InputRecord } from "../types.ts";
import { type CsvBatch, CsvRecords, detectDelimiter } from "./csv-parser.ts";
import { DelimitedRows } from "./delimited-rows.ts";
import type { RowOptions } from "./row.ts";
import type { InputText } from "./text.ts";

/**
 * Yields the records of CSV as spreadsheets write it: a header that names the columns, values separated by
 * commas, semicolons or tabs, quoted by RFC 4180. Rows of empty cells are skipped like blank lines.
 */
export async function* readCsv(
  text: InputText,
  options: RowOptions,
  onHeader: (rows: DelimitedRows, delimiter: string) => void = () => {},
): AsyncGenerator<Iterable<InputRecord>> {
  const rows = new DelimitedRows(options);
  let head = "";
  let records: CsvRecords | undefined;
  const start = (delimiter: string): CsvRecords => {
    onHeader(rows, delimiter);
    return new CsvRecords(delimiter, text.firstLine);
  };
  for await (const piece of text) {
    head += piece;
    if (records === undefined) {
      const delimiter = detectDelimiter(head, { ...options, isWhole: false });
      if (delimiter === undefined) continue;
      records = start(delimiter);
    }
    for await (const batch of records.push(head)) {
      yield readBatch(rows, batch);
      if (rows.isDone) return;
    }
    head = "";
  }
  records ??= start(detectDelimiter(head, { ...options, isWhole: true }) ?? ",");
  for await (const batch of records.push(head)) yield readBatch(rows, batch);
  if (rows.isDone) return;
  const { fault } = text;
  yield readBatch(
    rows,
    fault === undefined ? await records.end() : await records.finishTruncated(),
  );
  yield fault === undefined ? rows.end(text.firstLine) : rows.fail(records.line, fault);
}

/** Yields the rows of the next records, and the fault behind them. */
function* readBatch(
  rows: DelimitedRows,
  { records, line, fault }: CsvBatch,
): Generator<InputRecord> {
  yield* rows.read(records);
  if (fault !== undefined) yield* rows.fail(line, { message: fault });
}
