import { CsvRecords } from "./csv-parser.ts";
import { CsvRows } from "./csv-rows.ts";
import { detectDelimiter } from "./csv-separator.ts";
import type { Utf8Text } from "./utf8.ts";
import type { RowOptions } from "./row.ts";
import type { ReadRow } from "../types.ts";

/**
 * The rows of CSV as spreadsheets write it, in batches (contract.md, Bulk, Input): a header that
 * names the columns, values between commas, semicolons or tabs, quoted by RFC 4180. Rows of nothing
 * but empty cells are blank lines, and none.
 */
export async function* readCsv(
  text: Utf8Text,
  options: RowOptions,
): AsyncGenerator<readonly ReadRow[]> {
  const rows = new CsvRows(options);
  let head: Buffer[] = [];
  let records: CsvRecords | undefined;
  for await (const piece of text) {
    let bytes = piece;
    if (records === undefined) {
      head.push(piece);
      bytes = Buffer.concat(head);
      const separator = detectDelimiter(bytes.toString(), { isWhole: false });
      if (separator === undefined) continue;
      records = new CsvRecords(separator);
      head = [];
    }
    yield rows.read(await records.push(bytes), records.line);
    if (rows.isDone) return;
  }
  if (records === undefined) {
    const bytes = Buffer.concat(head);
    records = new CsvRecords(detectDelimiter(bytes.toString(), { isWhole: true }) ?? ",");
    yield rows.read(await records.push(bytes), records.line);
  }
  if (rows.isDone) return;
  const { decodeError } = text;
  yield rows.read(
    decodeError === undefined ? await records.end() : await records.finishTruncated(),
    records.line,
  );
  if (decodeError !== undefined && !rows.isDone)
    yield [{ line: records.line, message: decodeError }];
}
