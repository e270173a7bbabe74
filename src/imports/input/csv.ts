import type { ReadRow } from "../types.ts";
import { type CsvBatch, CsvRecords, detectDelimiter } from "./csv-parser.ts";
import { DelimitedRows } from "./delimited-rows.ts";
import type { RowOptions } from "./row.ts";
import type { Utf8Text } from "./utf8.ts";

/**
 * Yields the rows of CSV as spreadsheets write it, in batches (contract.md, Bulk, Input): a header
 * that names the columns, values separated by commas, semicolons or tabs, quoted by RFC 4180. Rows
 * of empty cells are skipped like blank lines.
 */
export async function* readCsv(
  text: Utf8Text,
  options: RowOptions,
): AsyncGenerator<readonly ReadRow[]> {
  const rows = new DelimitedRows(options);
  let head: Buffer[] = [];
  let records: CsvRecords | undefined;
  for await (const piece of text) {
    let bytes = piece;
    if (records === undefined) {
      head.push(piece);
      bytes = Buffer.concat(head);
      const delimiter = detectDelimiter(bytes.toString(), { isWhole: false });
      if (delimiter === undefined) continue;
      records = new CsvRecords(delimiter);
      head = [];
    }
    yield readBatch(rows, await records.push(bytes), records.line);
    if (rows.isDone) return;
  }
  if (records === undefined) {
    const bytes = Buffer.concat(head);
    records = new CsvRecords(detectDelimiter(bytes.toString(), { isWhole: true }) ?? ",");
    yield readBatch(rows, await records.push(bytes), records.line);
  }
  if (rows.isDone) return;
  const { decodeError } = text;
  const last = decodeError === undefined ? await records.end() : await records.finishTruncated();
  yield readBatch(rows, last, records.line);
  yield decodeError === undefined ? rows.end() : rows.fail(records.line, decodeError);
}

/** Returns the rows of the next records; `line` is where the record with the fault begins. */
function readBatch(
  rows: DelimitedRows,
  { records, fault }: CsvBatch,
  line: number,
): readonly ReadRow[] {
  const read = rows.read(records);
  return fault === undefined ? read : [...read, ...rows.fail(line, fault)];
}
