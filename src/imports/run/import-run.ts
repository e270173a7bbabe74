import { setImmediate } from "node:timers/promises";
import type { RateLimits } from "../../client/types.ts";
import { Failure } from "../../core/errors.ts";
import type { Clock } from "../../platform/io.ts";
import type { ImportDatabase } from "../database/database.ts";
import {
  beginImport,
  type ImportRecord,
  importsOfInput,
  readImport,
  startImport,
} from "../database/import-records.ts";
import type { Row, RowCounts, RowOutcome, RowState } from "../types.ts";
import { withoutName } from "./without-name.ts";

export interface RowChange {
  readonly row: Pick<Row, "index">;
  /** The state that is recorded of it, or will be before this. */
  readonly from: RowState;
  readonly to: RowState;
  /** Of an added animal. */
  readonly id?: bigint;
  readonly code?: string | undefined;
  readonly error?: string;
}

const countedStates = ["sent", "added", "rejected", "unknown"] as const;
const updateCounts = `UPDATE imports SET ${countedStates.map((state) => `${state} = ${state} + ?`).join(", ")},
  active = ?, store = coalesce(store, ?) WHERE id = ?`;

const updateRow =
  "UPDATE rows SET state = ?, id = ?, code = ?, error = ? WHERE import = ? AND number = ?";

const toEnd = ({ unsent, unknown }: RowCounts): number => unsent + unknown;

/**
 * The run of an import: records what becomes of its rows, counts them, and knows why it stops. What one turn of the event
 * loop leads to is one transaction, on whose commit the promises resolve. It survives the process then, and while limits
 * set the pace a loss of power.
 */
export class ImportRun {
  readonly abort: RunAbort;
  /** The import as it was when this began. */
  readonly record: ImportRecord;
  readonly clock: Pick<Clock, "now">;
  counts: RowCounts;
  readonly #database: ImportDatabase;
  readonly #limits: () => RateLimits;
  #waiting: RowChange[] = [];
  #flushing: Promise<void> | undefined;
  #storeId: string | null;
  /** The first other store that responded, and the import there. */
  #otherStore: string | undefined;
  #elsewhere: Promise<ImportRun> | undefined;
  #isRefused = false;

  /** `limits` returns the limits that the service last reported. */
  constructor(
    abort: RunAbort,
    database: ImportDatabase,
    record: ImportRecord,
    clock: Pick<Clock, "now">,
    limits: () => RateLimits,
  ) {
    this.abort = abort;
    this.#database = database;
    this.record = record;
    this.clock = clock;
    this.counts = record;
    this.#limits = limits;
    this.#storeId = record.store;
  }

  /** Rejects with an io Failure; an outcome that failed is tried again with later ones. */
  recordChange(change: RowChange): Promise<void> {
    this.#waiting.push(change);
    this.#flushing ??= this.#flushSoon();
    return this.#flushing;
  }

  /** The last send of the row had no effect: it is again what it was before. `isRefused`: by the service, as one too many. */
  recordUnsent(row: Row, before: RowState, isRefused = false): Promise<void> {
    this.#isRefused ||= isRefused;
    return this.recordChange({ row, from: "sent", to: before });
  }

  recordEnd(end: RowOutcome, from: RowState = "sent"): Promise<void> {
    const { row, outcome: to } = end;
    if (end.outcome === "added") return this.recordChange({ row, from, to, id: end.pet.id });
    const { name } = row.pet;
    const { code, message } = end.failure;
    const isWord = /^[\w.-]{1,40}$/.test(code) && withoutName(code, name) === code;
    const error = withoutName(message, name);
    return this.recordChange({ row, from, to, code: isWord ? code : undefined, error });
  }

  /** Returns what is recorded of a row; of one whose number is beyond the recorded ones, that it is unsent. */
  stateOf({ index }: Pick<Row, "index">): RowState {
    const query = "SELECT state FROM rows WHERE import = ? AND number = ?";
    const [row] = this.#database.all<{ state: RowState }>(query, this.record.id, index);
    return row?.state ?? "unsent";
  }

  /** Returns whether this is the id of the run's own store, as the first one is. A different one stops the run. */
  accepts(storeId: string): boolean {
    this.#storeId ??= storeId;
    if (this.#storeId === storeId) return true;
    this.#otherStore ??= storeId;
    const replaced = `the store at ${this.record.host} was replaced by another one during the run`;
    const hints = ["Run the command again to send all animals to the new store."];
    this.abort.stop(new Failure("service", replaced, { hints, retryable: true }));
    return false;
  }

  /**
   * Records how a row ended at the first other store that responded, unless it was added there; here it is what it was
   * `before`. Returns false for a further store: of those, nothing is recorded.
   */
  async recordElsewhere(end: RowOutcome, before: RowState, store: string): Promise<boolean> {
    if (store !== this.#otherStore) return false;
    const { row } = end;
    this.#elsewhere ??= this.#beginElsewhere(store);
    const there = await this.#elsewhere;
    const state = there.stateOf(row);
    if (state !== "added") await there.recordEnd(end, state);
    await this.recordUnsent(row, before);
    return true;
  }

  async #beginElsewhere(store: string): Promise<ImportRun> {
    const { record, clock, abort } = this;
    const known = importsOfInput(this.#database, record.input).find((each) => each.store === store);
    const place = { ...record, started: clock.now() };
    const id = known?.id ?? (await beginImport(this.#database, place));
    await startImport(this.#database, id, { store, isAgain: false });
    return new ImportRun(abort, this.#database, readImport(this.#database, id), clock, () => ({}));
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
      if (taken.some(({ to }) => to === "sent")) this.#database.assertInPlace();
      this.counts = await this.#database.transact(() => this.#write(taken), this.#isPaced());
    } catch (error) {
      // Nobody waits for outcomes that failed any more, but later there may be room again.
      this.#waiting = taken.filter(({ to }) => to !== "sent");
      throw error;
    }
  }

  /** Returns whether limits set the pace. They are not known before a row has ended, nor where the service refused one. */
  #isPaced(): boolean {
    const [left, atStart] = [toEnd(this.counts), toEnd(this.record)];
    const isUnlimited = left + this.counts.sent < atStart && !this.#isRefused;
    const { limit = isUnlimited ? Infinity : 0, remaining = Infinity } = this.#limits();
    return limit < atStart || remaining < left;
  }

  #write(changes: readonly RowChange[]): RowCounts {
    const { id: own } = this.record;
    const counts = { ...this.counts };
    for (const { row, from, to, id = null, code = null, error = null } of changes) {
      this.#database.run(updateRow, to, id, code, error, own, row.index);
      counts[from] -= 1;
      counts[to] += 1;
    }
    const added = countedStates.map((state) => counts[state] - this.counts[state]);
    this.#database.run(updateCounts, ...added, this.clock.now(), this.#storeId, own);
    return counts;
  }
}

/** Ends a run before its last row. The first reason counts. Requests in flight finish unless `abandon` is called. */
export class RunAbort {
  readonly #waits = new AbortController();
  readonly #sends = new AbortController();
  /** Ends waits; no more requests may be sent. */
  readonly signal = this.#waits.signal;
  /** Ends requests in flight too. */
  readonly sendSignal = this.#sends.signal;
  /** The row is that whose response was the reason, if one was. */
  reason: { readonly error: unknown; readonly row?: Row | undefined } | undefined;

  /** Whether requests may be in flight. */
  isSending = false;

  stop(error: unknown, row?: Row): void {
    this.reason ??= { error, row };
    // Rows that end by this must not fail with `error` itself, which may be the reply to another row.
    this.#waits.abort(new Failure("interrupted", "the run was stopped", { retryable: true }));
  }

  abandon(error: unknown): void {
    this.reason = { error };
    this.stop(error);
    this.#sends.abort();
  }
}
