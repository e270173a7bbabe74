import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../platform/io.ts";
import type { RateLimits } from "../../client/types.ts";
import type { Row, RowCounts, RowOutcome, RowState } from "../types.ts";
import type { ImportDatabase } from "./database.ts";
import type { ImportRecord } from "./import-records.ts";

/** What becomes of a row, to be recorded. */
export interface RowChange {
  readonly row: Pick<Row, "index">;
  readonly to: RowState;
  /** The id of an added animal. */
  readonly id?: bigint;
  /** Why it was not added. */
  readonly code?: string;
  readonly error?: string;
}

/** The states whose numbers change in a run. */
const countedStates = ["sent", "added", "rejected", "unknown", "known", "changed"] as const;
const updateCounts = `UPDATE imports SET ${countedStates.map((state) => `${state} = ?`).join(", ")},
  active = ?, isFinished = 0 WHERE id = ?`;

const insert = `INSERT INTO rows (import, number, state, id, code, error)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT`;
const update = `UPDATE rows SET state = ?3, id = ?4, code = ?5, error = ?6
  WHERE import = ?1 AND number = ?2`;

/** A change that waits for the next transaction. */
interface Waiting extends PromiseWithResolvers<void> {
  readonly change: RowChange;
}

/**
 * Records what becomes of the rows of an import. All that is recorded in one turn of the event loop is one
 * transaction; each promise resolves when that is committed, and survives the process from then on.
 */
export class RowRecorder {
  /** The import as it was when this began. */
  readonly record: ImportRecord;
  protected readonly database: ImportDatabase;
  protected readonly clock: Pick<Clock, "now">;
  readonly #sync: SyncRule;
  #counts: RowCounts;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;

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
    this.#counts = record;
    this.#sync = new SyncRule(limits, record.unsent);
  }

  /** How many rows are in each state, as recorded. */
  get counts(): RowCounts {
    return this.#counts;
  }

  /** Records a change. Rejects with an io Failure; an outcome that failed is tried again with later ones. */
  recordChange(change: RowChange): Promise<void> {
    const waiting = { change, ...Promise.withResolvers<void>() };
    this.#waiting.push(waiting);
    this.#flushing ??= this.#flushSoon();
    return waiting.promise;
  }

  /** Records that the last send of a row was refused: it is again what it was before. */
  recordUnsent(row: Row, before: RowState): Promise<void> {
    this.#sync.onRefused();
    return this.recordChange({ row, to: before === "sent" ? "unknown" : before });
  }

  /** Records how a row ended. */
  recordEnd(end: RowOutcome): Promise<void> {
    const { row, outcome: to } = end;
    if (end.outcome === "added") return this.recordChange({ row, to, id: end.pet.id });
    const { code, message } = end.failure;
    return this.recordChange({ row, to, code, error: withoutName(message, row.pet.name) });
  }

  /** Waits until all is recorded, or has failed. */
  async settled(): Promise<void> {
    if (this.#waiting.length > 0) this.#flushing ??= this.#flushSoon();
    await this.#flushing;
  }

  async #flushSoon(): Promise<void> {
    // What several replies of one turn lead to comes before this.
    await setImmediate();
    const taken = this.#waiting;
    this.#waiting = [];
    this.#flushing = undefined;
    try {
      const mustSync = this.#sync.mustSync(this.#counts.unsent);
      this.#counts = this.database.transact(() => this.#write(taken), mustSync);
      for (const { resolve } of taken) resolve();
    } catch (error) {
      // Nobody waits for outcomes that failed any more, but later there may be room again.
      this.#waiting = taken.filter(({ change }) => change.to !== "sent");
      for (const { reject } of taken) reject(error);
    }
  }

  #write(changes: readonly Waiting[]): RowCounts {
    const counts = { ...this.#counts };
    for (const { change } of changes) {
      counts[this.#put(change)] -= 1;
      counts[change.to] += 1;
    }
    const values = countedStates.map((state) => counts[state]);
    this.database.run(updateCounts, ...values, this.clock.now(), this.record.id);
    return counts;
  }

  /** Writes a change; returns the state of the row before. */
  #put({ row: { index }, to, id, code, error }: RowChange): RowState {
    const values = [this.record.id, index, to, id ?? null, code ?? null, error ?? null];
    // Nearly all rows are new when they are sent, and in flight when they end: a query for each takes 6 µs.
    const write = to === "sent" ? `${insert} DO NOTHING` : `${update} AND state = 'sent'`;
    if (this.database.run(write, ...values) > 0) return to === "sent" ? "unsent" : "sent";
    const query = "SELECT state FROM rows WHERE import = ? AND number = ?";
    const [before] = this.database.all<{ state: RowState }>(query, this.record.id, index);
    this.database.run(before === undefined ? `${insert} DO NOTHING` : update, ...values);
    return before?.state ?? "unsent";
  }
}

/** Masks the name of an animal: names are not recorded. */
function withoutName(message: string, name: string): string {
  return [name, JSON.stringify(name).slice(1, -1), name.trim()]
    .filter((each) => each !== "")
    .reduce((text, each) => text.replaceAll(each, "…"), message);
}

/** How many sends are synced while no reply has reported limits yet. */
const alwaysSyncFirst = 16;

/** Decides which records of a run are synced to the disk: while limits set the pace, that costs no time. */
export class SyncRule {
  readonly #limits: () => RateLimits;
  readonly #atStart: number;
  #isPaced = false;

  /** `limits` returns what the service last reported; `atStart` is how many rows are left when the run begins. */
  constructor(limits: () => RateLimits, atStart: number) {
    this.#limits = limits;
    this.#atStart = atStart;
  }

  /** Returns whether what is recorded next must be on the disk, with this many rows left. */
  mustSync(left: number): boolean {
    const { limit = Infinity, remaining = Infinity } = this.#limits();
    this.#isPaced ||= limit < this.#atStart || remaining < left;
    return this.#isPaced || this.#atStart - left < alwaysSyncFirst;
  }

  /** Notes that the service refused a send: some report a limit only so. */
  onRefused(): void {
    this.#isPaced = true;
  }
}
