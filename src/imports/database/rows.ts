import { setImmediate } from "node:timers/promises";
import type { RateLimits } from "../../client/types.ts";
import type { Clock } from "../../platform/io.ts";
import type { Row, RowCounts, RowOutcome, RowState } from "../types.ts";
import type { ImportDatabase } from "./database.ts";
import type { ImportRecord } from "./import-records.ts";

export interface RowChange {
  readonly row: Pick<Row, "index">;
  /** The state that is recorded of it, or will be before this. */
  readonly from: RowState;
  readonly to: RowState;
  /** Of an added animal. */
  readonly id?: bigint;
  readonly code?: string;
  readonly error?: string;
}

const countedStates = ["sent", "added", "rejected", "unknown"] as const;
const updateCounts = `UPDATE imports SET ${countedStates.map((state) => `${state} = ${state} + ?`).join(", ")},
  active = ? WHERE id = ?`;

const updateRow =
  "UPDATE rows SET state = ?, id = ?, code = ?, error = ? WHERE import = ? AND number = ?";

/** So many sends are synced while no response has reported limits yet. */
const alwaysSyncFirst = 16;

/**
 * Records what becomes of the rows of an import: what one turn of the event loop leads to in one transaction, on whose
 * commit the promises resolve. It survives the process then, and while limits set the pace a loss of power.
 */
export class RowRecorder {
  /** The import as it was when this began. */
  readonly record: ImportRecord;
  counts: RowCounts;
  protected readonly database: ImportDatabase;
  readonly clock: Pick<Clock, "now">;
  readonly #limits: () => RateLimits;
  #waiting: RowChange[] = [];
  #flushing: Promise<void> | undefined;
  #isPaced = false;

  /** `limits` returns the limits that the service last reported. */
  constructor(
    database: ImportDatabase,
    record: ImportRecord,
    clock: Pick<Clock, "now">,
    limits: () => RateLimits,
  ) {
    this.database = database;
    this.record = record;
    this.clock = clock;
    this.counts = record;
    this.#limits = limits;
  }

  /** Rejects with an io Failure; an outcome that failed is tried again with later ones. */
  recordChange(change: RowChange): Promise<void> {
    this.#waiting.push(change);
    this.#flushing ??= this.#flushSoon();
    return this.#flushing;
  }

  /** The last send of the row was refused: it is again what it was before. */
  recordUnsent(row: Row, before: RowState): Promise<void> {
    // Some services report a limit only so.
    this.#isPaced = true;
    return this.recordChange({ row, from: "sent", to: before });
  }

  recordEnd(end: RowOutcome, from: RowState = "sent"): Promise<void> {
    const { row, outcome: to } = end;
    if (end.outcome === "added") return this.recordChange({ row, from, to, id: end.pet.id });
    const { code, message } = end.failure;
    return this.recordChange({ row, from, to, code, error: withoutName(message, row.pet.name) });
  }

  /** Returns what is recorded of so many rows from the number `first` on. */
  recorded(first: number, count: number): ReadonlyMap<number, RecordedRow> {
    const rows = recordedRows(this.database, this.record, first, count);
    return new Map(rows.map((row) => [row.number, row]));
  }

  /** Waits until all is recorded, or has failed. */
  async settled(): Promise<void> {
    if (this.#waiting.length > 0) this.#flushing ??= this.#flushSoon();
    await this.#flushing?.catch(() => {});
  }

  async #flushSoon(): Promise<void> {
    // What several replies of one turn lead to comes before this.
    await setImmediate();
    const taken = this.#waiting;
    this.#waiting = [];
    this.#flushing = undefined;
    try {
      this.counts = this.database.transact(() => this.#write(taken), this.#mustSync());
    } catch (error) {
      // Nobody waits for outcomes that failed any more, but later there may be room again.
      this.#waiting = taken.filter(({ to }) => to !== "sent");
      throw error;
    }
  }

  #mustSync(): boolean {
    const { unsent: left } = this.counts;
    const { unsent: atStart } = this.record;
    const { limit = Infinity, remaining = Infinity } = this.#limits();
    this.#isPaced ||= limit < atStart || remaining < left;
    return this.#isPaced || atStart - left < alwaysSyncFirst;
  }

  #write(changes: readonly RowChange[]): RowCounts {
    const { id: own } = this.record;
    const counts = { ...this.counts };
    for (const { row, from, to, id = null, code = null, error = null } of changes) {
      this.database.run(updateRow, to, id, code, error, own, row.index);
      counts[from] -= 1;
      counts[to] += 1;
    }
    const added = countedStates.map((state) => counts[state] - this.counts[state]);
    this.database.run(updateCounts, ...added, this.clock.now(), own);
    return counts;
  }
}

// Names are not recorded.
function withoutName(message: string, name: string): string {
  return [name, JSON.stringify(name).slice(1, -1), name.trim()]
    .filter((each) => each !== "")
    .reduce((text, each) => text.replaceAll(each, "…"), message);
}

export interface RecordedRow {
  readonly number: number;
  readonly line: number;
  readonly state: RowState;
  /** In digits. */
  readonly id: string | null;
  readonly code: string | null;
  readonly error: string | null;
}

/** Returns at most `count` rows of an import from the number `first` on, in their order. */
export function recordedRows(
  database: ImportDatabase,
  { id }: Pick<ImportRecord, "id">,
  first: number,
  count: number,
): readonly RecordedRow[] {
  const query = `SELECT number, line, state, CAST(id AS TEXT) AS id, code, error FROM rows
    WHERE import = ? AND number >= ? ORDER BY number LIMIT ?`;
  return database.all(query, id, first, count);
}
