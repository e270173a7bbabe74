import type { StatementSync } from "node:sqlite";
import { sqliteCode } from "../../platform/sqlite-lock.ts";
import type { Row, RowState } from "../types.ts";
import type { ImportRecord } from "./import-records.ts";
import type { ImportDatabase } from "./open.ts";
import { type RowCounts, stateCode } from "./schema.ts";
import { rollBack } from "./transaction.ts";

/** What becomes of a row, to be recorded. */
export interface RowChange {
  readonly row: Pick<Row, "index">;
  readonly from: RowState;
  readonly to: RowState;
  /** The id of an added animal. */
  readonly id?: bigint;
  /** Why it was not added. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** What a recorder needs. Times are in ms. */
export interface RecorderOptions {
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Returns whether what is recorded must be on the disk, to survive a power loss. */
  readonly mustSync: () => boolean;
}

/** SQLITE_BUSY (https://sqlite.org/rescode.html). */
const busy = 5;
/** How long another program may keep the database locked, in ms, and how often that is looked at. */
const maxBusyMs = 30_000;
const retryMs = 2;
/** How many pages of the write-ahead log are written back at once: each time costs two syncs. */
const checkpointPages = 4000;

/** A change that waits for the next transaction. */
interface Waiting {
  readonly record: ImportRecord;
  readonly change: RowChange;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Records what becomes of rows. All that is recorded in one turn of the event loop is one transaction;
 * each promise resolves when that is committed, and survives the process from then on.
 */
export class RowRecorder {
  readonly #database: ImportDatabase;
  readonly #options: RecorderOptions;
  readonly #counts = new Map<number, Record<RowState, number>>();
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #put: StatementSync;
  readonly #count: StatementSync;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;

  constructor(database: ImportDatabase, options: RecorderOptions) {
    const { sql } = database;
    this.#database = database;
    this.#options = options;
    // The wait for another program is asynchronous, so that signals and replies are seen.
    sql.exec(`PRAGMA busy_timeout = 0; PRAGMA record.synchronous = NORMAL;
      PRAGMA wal_autocheckpoint = ${checkpointPages}`);
    this.#begin = sql.prepare("BEGIN IMMEDIATE");
    this.#commit = sql.prepare("COMMIT");
    this.#put = sql.prepare(
      `INSERT INTO rows (import, number, state, id, code, error) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
       SET state = excluded.state, id = excluded.id, code = excluded.code, error = excluded.error`,
    );
    this.#count = sql.prepare(
      `UPDATE imports SET sent = ?, added = ?, rejected = ?, unknown = ?, known = ?, changed = ?, active = ?, finished = 0
       WHERE id = ?`,
    );
  }

  /** Returns how many rows of an import are in each state. */
  counts(record: ImportRecord): RowCounts {
    return this.#countsOf(record);
  }

  /** Records a change. Rejects with an io Failure; an outcome that failed is tried again with later ones. */
  record(record: ImportRecord, change: RowChange): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ record, change, resolve, reject });
    this.#flushing ??= this.#flushSoon();
    return promise;
  }

  /** Waits until all is recorded, or has failed. */
  async settled(): Promise<void> {
    if (this.#waiting.length > 0) this.#flushing ??= this.#flushSoon();
    await this.#flushing;
  }

  async #flushSoon(): Promise<void> {
    // What several replies of one turn lead to comes before this.
    await new Promise((resolve) => void setImmediate(resolve));
    let taken: readonly Waiting[] = [];
    try {
      for (let waited = 0; !this.#tryBegin(waited); waited += retryMs)
        await this.#options.sleep(retryMs);
      taken = this.#take();
      this.#database.run(() => this.#write(taken));
      for (const { resolve } of taken) resolve();
    } catch (error) {
      if (taken.length === 0) taken = this.#take();
      // Nobody waits for these any more, but later there may be room again.
      this.#waiting = [...taken.filter(({ change: { to } }) => !isSend(to)), ...this.#waiting];
      for (const { reject } of taken) reject(error);
    }
  }

  #take(): readonly Waiting[] {
    const taken = this.#waiting;
    this.#waiting = [];
    this.#flushing = undefined;
    return taken;
  }

  /** Begins a transaction; returns false if another program writes to the database now. */
  #tryBegin(waitedMs: number): boolean {
    return this.#database.run(() => {
      try {
        if (this.#options.mustSync()) this.#database.sql.exec("PRAGMA record.synchronous = FULL");
        this.#begin.run();
        return true;
      } catch (error) {
        if (sqliteCode(error) === busy && waitedMs < maxBusyMs) return false;
        throw error;
      }
    });
  }

  #write(taken: readonly Waiting[]): void {
    const counts = new Map<ImportRecord, Record<RowState, number>>();
    try {
      for (const { record, change } of taken) {
        this.#apply(record, change);
        const now = counts.get(record) ?? { ...this.#countsOf(record) };
        now[change.from] -= 1;
        now[change.to] += 1;
        counts.set(record, now);
      }
      for (const [{ id }, now] of counts) this.#writeCounts(id, now);
      this.#commit.run();
    } catch (error) {
      rollBack(this.#database.sql);
      throw error;
    } finally {
      this.#database.sql.exec("PRAGMA record.synchronous = NORMAL");
    }
    for (const [{ id }, now] of counts) this.#counts.set(id, now);
  }

  #apply({ id: own }: ImportRecord, { row, to, id, error }: RowChange): void {
    const { code = null, message = null } = error ?? {};
    this.#put.run(own, row.index, stateCode(to), id ?? null, code, message);
  }

  #writeCounts(id: number, now: RowCounts): void {
    const { sent, resent, added, rejected, unknown, known, changed } = now;
    const active = this.#options.now();
    this.#count.run(sent + resent, added, rejected, unknown, known, changed, active, id);
  }

  #countsOf({ id, counts }: ImportRecord): Record<RowState, number> {
    const found = this.#counts.get(id) ?? { ...counts };
    this.#counts.set(id, found);
    return found;
  }
}

const isSend = (to: RowState): boolean => to === "sent" || to === "resent";
