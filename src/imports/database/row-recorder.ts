import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../platform/io.ts";
import type { Row, RowCounts, RowState } from "../types.ts";
import { type ImportDatabase, isBusy } from "./database.ts";
import type { ImportRecord } from "./import-records.ts";

/** What becomes of a row, to be recorded. */
export interface RowChange {
  readonly row: Pick<Row, "index">;
  readonly to: RowState;
  /** The id of an added animal. */
  readonly id?: bigint;
  /** Why it was not added. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** How long another program may keep the database locked, in ms, and how often that is looked at. */
const maxBusyMs = 30_000;
const retryMs = 2;

/** A change that waits for the next transaction. */
interface Waiting extends PromiseWithResolvers<void> {
  readonly change: RowChange;
}

/**
 * Records what becomes of the rows of an import. All that is recorded in one turn of the event loop is one
 * transaction; each promise resolves when that is committed, and survives the process from then on.
 */
export class RowRecorder {
  /** The id of the import. */
  readonly id: number;
  readonly #database: ImportDatabase;
  readonly #clock: Pick<Clock, "now" | "sleep">;
  readonly #mustSync: (counts: RowCounts) => boolean;
  #counts: RowCounts;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;

  /** `mustSync` returns whether what is recorded must be on the disk, to survive a power loss. */
  constructor(
    database: ImportDatabase,
    record: ImportRecord,
    clock: Pick<Clock, "now" | "sleep">,
    mustSync: (counts: RowCounts) => boolean,
  ) {
    this.#database = database;
    this.id = record.id;
    this.#counts = record;
    this.#clock = clock;
    this.#mustSync = mustSync;
  }

  /** How many rows are in each state. */
  get counts(): RowCounts {
    return this.#counts;
  }

  /** Records a change. Rejects with an io Failure; an outcome that failed is tried again with later ones. */
  record(change: RowChange): Promise<void> {
    const waiting = { change, ...Promise.withResolvers<void>() };
    this.#waiting.push(waiting);
    this.#flushing ??= this.#flushSoon();
    return waiting.promise;
  }

  /** Waits until all is recorded, or has failed. */
  async settled(): Promise<void> {
    if (this.#waiting.length > 0) this.#flushing ??= this.#flushSoon();
    await this.#flushing;
  }

  async #flushSoon(): Promise<void> {
    // What several replies of one turn lead to comes before this.
    await setImmediate();
    let error = this.#tryWrite();
    // The wait for another program is asynchronous, so that signals and replies are seen.
    for (let waited = 0; isBusy(error) && waited < maxBusyMs; waited += retryMs) {
      await this.#clock.sleep(retryMs, new AbortController().signal);
      error = this.#tryWrite();
    }
    const taken = this.#waiting;
    this.#flushing = undefined;
    // Nobody waits for outcomes that failed any more, but later there may be room again.
    this.#waiting = error === undefined ? [] : taken.filter(({ change }) => change.to !== "sent");
    for (const { resolve, reject } of taken)
      if (error === undefined) resolve();
      else reject(error);
  }

  /** Writes all that waits in one transaction; returns the error if that fails. */
  #tryWrite(): unknown {
    try {
      const isSynced = this.#mustSync(this.#counts);
      this.#counts = this.#database.tryTransact(isSynced, () => this.#write());
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #write(): RowCounts {
    const counts = { ...this.#counts };
    for (const { change } of this.#waiting) {
      counts[this.#put(change)] -= 1;
      counts[change.to] += 1;
    }
    const { sent, added, rejected, unknown, known, changed } = counts;
    const values = [sent, added, rejected, unknown, known, changed, this.#clock.now(), this.id];
    this.#database.run(
      `UPDATE imports SET sent = ?, added = ?, rejected = ?, unknown = ?, known = ?, changed = ?,
       active = ?, isFinished = 0 WHERE id = ?`,
      ...values,
    );
    return counts;
  }

  /** Writes a change; returns the state of the row before. */
  #put({ row: { index }, to, id, error }: RowChange): RowState {
    const query = "SELECT state FROM rows WHERE import = ? AND number = ?";
    const [before] = this.#database.all<{ state: RowState }>(query, this.id, index);
    const { code = null, message = null } = error ?? {};
    const write = `INSERT INTO rows (import, number, state, id, code, error)
      VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
      SET state = excluded.state, id = excluded.id, code = excluded.code, error = excluded.error`;
    this.#database.run(write, this.id, index, to, id ?? null, code, message);
    return before?.state ?? "unsent";
  }
}
