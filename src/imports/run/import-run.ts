import { Failure } from "../../core/errors.ts";
import { beginImport, importsOfInput, readyImport } from "../database/import-records.ts";
import { type RecordedRow, recordedRows, RowRecorder } from "../database/rows.ts";
import type { Row, RowOutcome, RowState } from "../types.ts";

/** All that is known of a run: its import, how many rows are in which state, and why it stops. */
export class ImportRun extends RowRecorder {
  /** Why the run stops, and what it stops. */
  readonly abort: RunAbort = new RunAbort();
  #storeId = this.record.store;

  /** Returns what is recorded of these rows; nothing for rows that are unsent. */
  recorded(rows: readonly Row[]): ReadonlyMap<number, RecordedRow> {
    const [first = 0, last = -1] = [rows[0]?.index, rows.at(-1)?.index];
    return recordedRows(this.database, this.record, [first, last]);
  }

  /**
   * Returns whether this is the id of the run's own store. The first id that is received becomes that;
   * a different one stops the run.
   */
  accepts(storeId: string): boolean {
    if (this.#storeId === null) this.#update("store = ?", storeId);
    this.#storeId ??= storeId;
    if (this.#storeId === storeId) return true;
    const replaced = `the store at ${this.record.host} was replaced by another one during the run`;
    const hints = ["run the command again to send all animals to the new store"];
    this.abort.stop(new Failure("service", replaced, { hints, retryable: true }));
    return false;
  }

  /**
   * Records how a row ended, and returns that. If another store answered, records it for that one, unless the row
   * was added there before, and returns undefined: here it is again what it was `before`.
   */
  async end(end: RowOutcome, before: RowState, elsewhere?: string) {
    if (elsewhere === undefined) {
      await this.recordEnd(end);
      return end;
    }
    const other = this.#openOther(elsewhere);
    const { index } = end.row;
    const there = recordedRows(this.database, other.record, [index, index]).get(index);
    if (there?.state !== "added") await other.recordEnd(end, there?.state ?? "unsent");
    await this.recordUnsent(end.row, before);
    return undefined;
  }

  /** Records that no row is left, if so. */
  finish(): void {
    if (this.counts.unsent === 0) this.#update("isFinished = ?", 1);
  }

  #update(change: "store = ?" | "isFinished = ?", value: string | number): void {
    const update = `UPDATE imports SET ${change} WHERE id = ?`;
    this.database.transact(() => this.database.run(update, value, this.record.id));
  }

  /** Finds or begins the import of the same input for another store. */
  #openOther(store: string): RowRecorder {
    const { database, clock } = this;
    const place = { ...this.record, started: clock.now() };
    const found = importsOfInput(database, place.input).find((each) => each.store === store);
    const opened = found ?? beginImport(database, place);
    const other = readyImport(database, opened, { store, isAgain: false });
    return new RowRecorder(database, other, clock, () => ({}));
  }
}

/** Ends a run before its last row. The first reason counts. Requests in flight finish unless `abandon` is called. */
export class RunAbort {
  readonly #waits = new AbortController();
  readonly #sends = new AbortController();
  /** Aborted when no more requests may be sent; ends waits. */
  readonly signal = this.#waits.signal;
  /** Aborted when requests in flight are given up too. */
  readonly sendSignal = this.#sends.signal;
  /** Why the run stopped: a Failure, or an internal error. */
  reason: { readonly error: unknown } | undefined;

  /** Prevents further requests, because of `error`. */
  stop(error: unknown): void {
    this.reason ??= { error };
    // Rows that end because of this must not fail with `error` itself, which may be the service's
    // reply to another row.
    this.#waits.abort(new Failure("interrupted", "the run was stopped", { retryable: true }));
  }

  /** Gives up the requests in flight too. */
  abandon(error: unknown): void {
    this.reason = { error };
    this.stop(error);
    this.#sends.abort();
  }
}
