import { Failure } from "../../core/errors.ts";
import {
  type ImportRecord,
  type RecordedRow,
  recordedRows,
  recordFinished,
  recordStore,
} from "../database/import-records.ts";
import type { ImportDatabase } from "../database/open.ts";
import type { RowRecorder } from "../database/row-recorder.ts";
import type { RowCounts } from "../database/schema.ts";
import type { Row, RowOutcome, RowState } from "../types.ts";
import type { RunAbort } from "./abort.ts";
import type { SyncRule } from "./sync-rule.ts";

/** What an ImportRun is made of. */
export interface ImportRunParts {
  readonly database: ImportDatabase;
  readonly recorder: Pick<RowRecorder, "counts" | "record">;
  /** The import as it was when the run began. */
  readonly record: ImportRecord;
  readonly abort: RunAbort;
  /** Finds or begins the import of the same input for another store. */
  readonly openOther: (storeId: string) => ImportRecord;
  /** Returns ms since the epoch. */
  readonly now: () => number;
  readonly sync: Pick<SyncRule, "onRefused">;
}

/** All that is known of a run: its import, how many rows are in which state, and why it stops. */
export class ImportRun {
  readonly #parts: ImportRunParts;
  readonly #others = new Map<string, ImportRecord>();
  #storeId: string | undefined;

  constructor(parts: ImportRunParts) {
    this.#parts = parts;
    this.#storeId = parts.record.store;
  }

  /** The import as it was when the run began. */
  get record(): ImportRecord {
    return this.#parts.record;
  }

  /** Why the run stops, and what it stops. */
  get abort(): RunAbort {
    return this.#parts.abort;
  }

  /** How many rows are in each state, as recorded. */
  get counts(): RowCounts {
    const { recorder, record } = this.#parts;
    return recorder.counts(record);
  }

  /** Returns what was recorded of these rows before the run; nothing for rows that are unsent. */
  recorded(first: Row, last: Row): ReadonlyMap<number, RecordedRow> {
    const { database, record } = this.#parts;
    if (record.counts.unsent === record.rows) return new Map();
    return recordedRows(database, [record.id, first.index, last.index]);
  }

  /** Records that a row is about to be sent; it may leave when the promise resolves. */
  recordSend(row: Row, from: RowState): Promise<void> {
    return this.#record({ row, from, to: from === "unsent" ? "sent" : "resent" });
  }

  /** Records that the last send of a row had no effect: it is again what it was before. */
  recordUnsent(row: Row, before: RowState): Promise<void> {
    const from = before === "unsent" ? "sent" : "resent";
    this.#parts.sync.onRefused();
    return this.#record({
      row,
      from,
      to: before === "sent" || before === "resent" ? "unknown" : before,
    });
  }

  /** Records how a row ended that was in the state `from`. */
  recordEnd(end: RowOutcome, from: RowState): Promise<void> {
    return this.#record(changeOf(end, from));
  }

  /** Records that the store does not have the animal of a row in doubt: it is unsent again. */
  recordAbsent(row: Row, from: RowState): Promise<void> {
    return this.#record({ row, from, to: "unsent" });
  }

  /**
   * Returns whether this is the id of the run's own store. The first id that is received becomes that;
   * a different one stops the run.
   */
  accepts(storeId: string): boolean {
    const { database, record, abort } = this.#parts;
    if (this.#storeId === undefined) {
      recordStore(database, record.id, storeId);
      this.#storeId = storeId;
    }
    if (this.#storeId === storeId) return true;
    abort.stop(
      new Failure(
        "service",
        `the store at ${record.host} was replaced by another one during the run`,
        {
          hints: ["run the command again to send all animals to the new store"],
          retryable: true,
        },
      ),
    );
    return false;
  }

  /** Records for another store how a row ended there. */
  async recordElsewhere(storeId: string, end: RowOutcome): Promise<void> {
    const { database, recorder, openOther } = this.#parts;
    const other = this.#others.get(storeId) ?? openOther(storeId);
    this.#others.set(storeId, other);
    const { index } = end.row;
    const from = recordedRows(database, [other.id, index, index]).get(index)?.state ?? "unsent";
    if (from === "unsent" || from === "sent" || from === "unknown")
      await recorder.record(other, changeOf(end, from));
  }

  /** Records that no row is left. Throws a TypeError if one is. */
  finish(): void {
    const { database, record, now } = this.#parts;
    const { unsent } = this.counts;
    if (unsent > 0) throw new TypeError(`cannot finish a run with ${unsent} unsent rows`);
    recordFinished(database, record.id, now());
  }

  #record(change: Parameters<RowRecorder["record"]>[1]): Promise<void> {
    const { recorder, record } = this.#parts;
    return recorder.record(record, change);
  }
}

function changeOf(end: RowOutcome, from: RowState): Parameters<RowRecorder["record"]>[1] {
  const { row, outcome } = end;
  if (end.outcome === "added") return { row, from, to: "added", id: end.pet.id };
  const { code, message } = end.failure;
  return { row, from, to: outcome, error: { code, message: withoutName(message, row.pet.name) } };
}

/** Masks the name of an animal: names are not recorded. */
function withoutName(message: string, name: string): string {
  return [name, JSON.stringify(name).slice(1, -1), name.trim()]
    .filter((each) => each !== "")
    .reduce((text, each) => text.replaceAll(each, "…"), message);
}
