import { setImmediate } from "node:timers/promises";
import type { RateLimits } from "../../client/types.ts";
import { Failure } from "../../core/errors.ts";
import type { Clock, Machine } from "../../platform/io.ts";
import type { ImportDatabase } from "../database/database.ts";
import {
  beginImport,
  type ImportRecord,
  importsOfInput,
  readImport,
  type RecordedRow,
  recordedRows,
  startImport,
  updateRow,
} from "../database/import-records.ts";
import type { Row, RowOutcome, RowState } from "../types.ts";
import { withoutName } from "./without-name.ts";

interface RowChange {
  readonly row: Pick<Row, "index">;
  /** The state that is recorded of it, or will be before this. */
  readonly from: RowState;
  readonly to: RowState;
  /** 1 if it is about to be sent, -1 if that had no effect. */
  readonly sends?: 1 | -1;
  /** Of an added animal. */
  readonly id?: bigint;
  readonly code?: string | undefined;
  readonly error?: string;
}

/** What of a clock and a machine a run needs. */
export interface RunClock {
  readonly clock: Pick<Clock, "now">;
  readonly machine: Pick<Machine, "uptime" | "bootId">;
}

/**
 * The run of an import: records what becomes of its rows, and knows why it stops. What one turn of the event loop leads to
 * is one transaction, on whose commit the promises resolve. It survives the process then, and while limits set the pace a
 * loss of power.
 */
export class ImportRun {
  readonly abort: RunAbort;
  /** The import as it was when this began. */
  readonly record: ImportRecord;
  /** How many rows have ended. */
  ended = 0;
  /** How many are still to be sent. */
  #unsent: number;
  readonly #time: RunClock;
  readonly #database: ImportDatabase;
  readonly #limits: () => RateLimits;
  #waiting: RowChange[] = [];
  /** The commit of what waits, and of what waited before. */
  #next: Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();
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
    time: RunClock,
    limits: () => RateLimits,
  ) {
    this.abort = abort;
    this.#database = database;
    this.record = record;
    this.#unsent = record.unsent + record.unknown;
    this.#time = time;
    this.#limits = limits;
    this.#storeId = record.store;
  }

  /** A row is about to leave. Rejects with an io Failure, as all that records: then it may not. */
  recordSend(row: Row, from: RowState): Promise<void> {
    return this.#record({ row, from, to: "sent", sends: 1 });
  }

  /** The last send of the row had no effect: it is again what it was before. `isRefused`: by the service, as one too many. */
  recordUnsent(row: Row, before: RowState, isRefused = false): Promise<void> {
    this.#isRefused ||= isRefused;
    return this.#record({ row, from: "sent", to: before, sends: -1 });
  }

  recordEnd(end: RowOutcome, from: RowState = "sent"): Promise<void> {
    const { row, outcome } = end;
    this.ended += 1;
    if (outcome === "added") return this.#record({ row, from, to: "added", id: end.pet.id });
    const { name } = row.pet;
    const { code, message } = end.failure;
    const isWord = /^[\w.-]{1,40}$/.test(code) && withoutName(code, name) === code;
    const error = withoutName(message, name);
    const to = outcome === "unknown" ? "sent" : outcome;
    return this.#record({ row, from, to, code: isWord ? code : undefined, error });
  }

  /** Returns what is recorded of rows, which ascend, by their numbers, and of those that stand for them. */
  recorded(rows: readonly Pick<Row, "index">[]): ReadonlyMap<number, RecordedRow> {
    const [first, last] = [rows[0]?.index ?? 0, rows.at(-1)?.index ?? -1];
    const found = recordedRows(this.#database, this.record, first, last - first + 1);
    return new Map(found.map((row) => [row.number, row]));
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
    const { state = "unsent" } = there.recorded([row]).get(row.index) ?? {};
    if (state !== "added") await there.recordEnd(end, state);
    await this.recordUnsent(row, before);
    return true;
  }

  async #beginElsewhere(store: string): Promise<ImportRun> {
    const { record, abort } = this;
    const known = importsOfInput(this.#database, record.input).find((each) => each.store === store);
    const place = { ...record, started: this.#time.clock.now() };
    const id = known?.id ?? (await beginImport(this.#database, place));
    await startImport(this.#database, id, { store });
    const there = readImport(this.#database, id);
    return new ImportRun(abort, this.#database, there, this.#time, () => ({}));
  }

  #record(change: RowChange): Promise<void> {
    this.#waiting.push(change);
    return this.#flush();
  }

  /** Waits until all is recorded, or has failed. */
  async settled(): Promise<void> {
    await (this.#next ?? this.#last).catch(() => {});
    if (this.#waiting.length > 0) await this.#flush().catch(() => {});
  }

  /** Writes what waits in one transaction, when the one before has ended. */
  #flush(): Promise<void> {
    this.#next ??= this.#write(this.#last);
    return this.#next;
  }

  async #write(last: Promise<unknown>): Promise<void> {
    // What several replies of one turn lead to comes before this.
    await setImmediate();
    await last;
    const taken = this.#waiting;
    this.#waiting = [];
    const writing = this.#commit(taken);
    this.#last = writing.catch(() => {});
    this.#next = undefined;
    await writing;
  }

  async #commit(changes: readonly RowChange[]): Promise<void> {
    const isSend = changes.some(({ sends }) => sends === 1);
    // One that is unknown now may have left long after its send was recorded.
    const isSent = changes.some(({ to }) => to === "sent");
    const { id: own } = this.record;
    const { clock, machine } = this.#time;
    try {
      if (isSend) this.#database.assertInPlace();
      const write = (): void => {
        for (const { row, from, to, id = null, code = null, error = null } of changes)
          this.#database.change(updateRow, to, id, code, error, own, row.index, from);
        const active = "UPDATE imports SET active = ?, store = coalesce(store, ?) WHERE id = ?";
        this.#database.change(active, clock.now(), this.#storeId, own);
        const sent = "UPDATE imports SET boot = ?, sentAt = ? WHERE id = ?";
        if (isSent) this.#database.change(sent, machine.bootId(), machine.uptime(), own);
      };
      await this.#database.transact(write, this.#isPaced());
    } catch (error) {
      // Nobody waits for outcomes that failed any more, but later there may be room again.
      this.#waiting.unshift(...changes.filter(({ sends }) => sends !== 1));
      throw error;
    }
    for (const { sends = 0 } of changes) this.#unsent -= sends;
  }

  /** Returns whether limits set the pace. They are not known before a row has ended, nor where the service refused one. */
  #isPaced(): boolean {
    const atStart = this.record.unsent + this.record.unknown;
    const isUnlimited = this.ended > 0 && !this.#isRefused;
    const { limit = isUnlimited ? Infinity : 0, remaining = Infinity } = this.#limits();
    return limit < atStart || remaining < this.#unsent;
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
