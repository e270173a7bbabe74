import { type FoundRow, foundRows } from "../database/compare.ts";
import type { ImportDatabase } from "../database/database.ts";
import type { ImportRecord } from "../database/import-records.ts";
import { type RecordedRow, recordedRows } from "../database/rows.ts";
import type { RowState } from "../types.ts";
import type { ResultOf } from "./results-file.ts";

/** How many rows are looked up at once: of more, V8's heap grows. */
const batchSize = 16;

/**
 * Returns what became of the rows of the staged input, which are asked for in their order: as its import recorded
 * it, if that has begun, else `unsent`. With `isCompared` rows that other imports added are known: nothing of them
 * is sent.
 */
export function outcomesOf(
  database: ImportDatabase,
  record: ImportRecord | undefined,
  unsent: "valid" | "not_sent",
  isCompared = false,
): ResultOf {
  const none = { outcome: unsent };
  let end = 0;
  let recorded: ReadonlyMap<number, RecordedRow> = new Map();
  let found: ReadonlyMap<number, FoundRow> = new Map();
  return (number, read) => {
    if (!("pet" in read)) {
      const { field, message } = read;
      const what = field === undefined ? message : `${field}: ${message}`;
      return { outcome: "invalid", code: "usage", error: what };
    }
    if (number >= end) {
      end = number + batchSize;
      if (record !== undefined)
        recorded = byNumber(recordedRows(database, record, number, batchSize));
      const some = isCompared ? foundRows(database, [number, batchSize]) : [];
      found = byNumber(some);
    }
    const row = recorded.get(number);
    if (row !== undefined && row.state !== "unsent")
      return { ...row, outcome: outcomeOf(row.state) };
    const match = found.get(number);
    return match === undefined ? none : { outcome: match.kind, id: match.id };
  };
}

/** Returns a recorded state in the words of an import's outcomes. */
export function outcomeOf(state: RowState): string {
  const names: Partial<Record<RowState, string>> = { unsent: "not_sent", sent: "unknown" };
  return names[state] ?? state;
}

const byNumber = <T extends { readonly number: number }>(rows: readonly T[]) =>
  new Map(rows.map((row) => [row.number, row] as const));
