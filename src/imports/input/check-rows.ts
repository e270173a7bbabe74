import { Failure } from "../../core/errors.ts";
import { isUnknownColumn } from "./columns.ts";
import { unknownFieldMessage } from "./row.ts";
import { isOtherEncoding } from "./utf8.ts";
import type { InvalidRow, ReadRow, Row } from "../types.ts";

/** How many invalid rows are listed with line and reason (contract.md, Bulk, Checked first). */
const maxListed = 20;

/**
 * Reads all rows and returns their number. Passes each batch to `onValid` until a row is invalid.
 * Rejects with a usage Failure if any is, with the first ones as its details.
 */
export async function checkRows(
  batches: AsyncIterable<readonly ReadRow[]>,
  name: string,
  onValid: (rows: readonly Row[]) => void = () => {},
): Promise<number> {
  const listed: InvalidRow[] = [];
  let rows = 0;
  let invalid = 0;
  for await (const batch of batches) {
    const valid = batch.filter((row) => "pet" in row);
    rows += batch.length;
    invalid += batch.length - valid.length;
    if (invalid === 0) onValid(valid);
    else listed.push(...batch.filter(isInvalid).slice(0, maxListed - listed.length));
  }
  if (invalid > 0) throw invalidRows(name, invalid, listed);
  return rows;
}

function isInvalid(row: ReadRow): row is InvalidRow {
  return !("pet" in row);
}

function invalidRows(name: string, count: number, details: readonly InvalidRow[]): Failure {
  const rows = count === 1 ? "1 row is" : `${count} rows are`;
  const shown = count > details.length ? `; the first ${details.length} are listed` : "";
  return new Failure("usage", `${rows} invalid in ${name}; nothing was sent${shown}`, {
    details,
    hints: [
      ...(details.some(({ message }) => isUnknownColumn(message))
        ? ["use --map COLUMN=FIELD to name a column, or --ignore-unknown to ignore unknown ones"]
        : []),
      ...(details.some(({ message }) => isOtherEncoding(message))
        ? [
            'UTF-8 is "CSV UTF-8" in Excel, and the character set "Unicode (UTF-8)" in LibreOffice (Save As, Edit filter settings)',
          ]
        : []),
      ...(details.some(isUnknownField) ? ["use --ignore-unknown to ignore unknown fields"] : []),
    ],
  });
}

function isUnknownField({ message }: InvalidRow): boolean {
  return message === unknownFieldMessage;
}
