import type { RowState } from "../types.ts";
import type { ImportDatabase } from "./database.ts";
import type { ImportRecord } from "./import-records.ts";

/** What is recorded of a row. */
export interface RecordedRow {
  readonly number: number;
  readonly state: RowState;
  /** The id of its animal, in digits. */
  readonly id: string | null;
  /** Why it was not added. */
  readonly code: string | null;
  readonly error: string | null;
}

/** Returns what is recorded of the rows `first` to `last` of an import by number; the others are unsent. */
export function recordedRows(
  database: ImportDatabase,
  { id }: Pick<ImportRecord, "id">,
  [first, last]: readonly [first: number, last: number],
): ReadonlyMap<number, RecordedRow> {
  const query = `SELECT number, state, CAST(id AS TEXT) AS id, code, error FROM rows
    WHERE import = ? AND number BETWEEN ? AND ?`;
  const rows = database.all<RecordedRow>(query, id, first, last);
  return new Map(rows.map((row) => [row.number, row]));
}

/** A row of an import, with its line in the input. */
export type ImportRow = RecordedRow & { readonly line: number };

const batchSize = 1000;

/** Yields all rows of an import in batches, in their order, with those that were never sent. */
export function* importRows(
  database: ImportDatabase,
  { id, rows }: ImportRecord,
): Generator<readonly ImportRow[]> {
  const query = `WITH RECURSIVE numbers (number) AS
      (SELECT ?2 UNION ALL SELECT number + 1 FROM numbers WHERE number < ?3)
    SELECT number, coalesce(state, 'unsent') AS state, CAST(id AS TEXT) AS id, code, error,
      number + (SELECT "offset" FROM lines WHERE import = ?1 AND lines.number <= numbers.number
        ORDER BY lines.number DESC LIMIT 1) AS line
    FROM numbers LEFT JOIN (SELECT * FROM rows WHERE import = ?1) USING (number)`;
  for (let first = 0; first < rows; first += batchSize)
    yield database.all<ImportRow>(query, id, first, Math.min(rows, first + batchSize) - 1);
}

/** Returns how many columns the ids and errors of an import take at most, in characters. */
export function widestValues(database: ImportDatabase, id: number): Record<string, number> {
  const [widest = {}] = database.all<Record<string, number>>(
    `SELECT coalesce(max(length(id)), 0) AS id, coalesce(max(length(error)), 0) AS error
     FROM rows WHERE import = ?`,
    id,
  );
  return widest;
}
