import type { ImportRecord, RecordedRow } from "./import-records.ts";
import { recordedRows } from "./import-records.ts";
import type { ImportDatabase } from "./open.ts";

/** What is recorded of a row of an import. */
export interface ImportRow extends Omit<RecordedRow, "number"> {
  readonly line: number;
}

const batchSize = 1000;

/** Yields all rows of an import in batches, in their order, with those that were never sent. */
export function* importRows(
  database: ImportDatabase,
  { id, rows }: ImportRecord,
): Generator<readonly ImportRow[]> {
  let shift = 1;
  for (let first = 0; first < rows; first += batchSize) {
    const last = Math.min(rows, first + batchSize) - 1;
    const recorded = recordedRows(database, [id, first, last]);
    const shifts = lineShifts(database, [id, first, last]);
    const batch: ImportRow[] = [];
    for (let number = first; number <= last; number += 1) {
      shift = shifts.get(number) ?? shift;
      batch.push({ state: "unsent", ...recorded.get(number), line: number + shift });
    }
    yield batch;
  }
}

/** Returns what to add to the number of a row, from 0, for its line, where that changes. */
function lineShifts(
  { run, sql }: ImportDatabase,
  place: readonly [id: number, first: number, last: number],
): ReadonlyMap<number, number> {
  const query = `SELECT number, "offset" AS shift FROM lines WHERE import = ? AND number BETWEEN ? AND ?`;
  const found = run(() => sql.prepare(query).all(...place));
  return new Map(found.map(({ number, shift }) => [Number(number), Number(shift)]));
}

/** Returns how many columns the ids and errors of an import take at most, in characters. */
export function widestValues(
  { run, sql }: ImportDatabase,
  id: number,
): { readonly id: number; readonly error: number } {
  const query =
    "SELECT max(length(id)) AS id, max(length(error)) AS error FROM rows WHERE import = ?";
  const widest = run(() => sql.prepare(query).get(id));
  return { id: Number(widest?.id ?? 0), error: Number(widest?.error ?? 0) };
}
