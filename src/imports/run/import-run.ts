import type { RateLimits } from "../../client/types.ts";
import { Failure } from "../../core/errors.ts";
import type { Clock } from "../../platform/io.ts";
import type { ImportDatabase } from "../database/database.ts";
import {
  beginImport,
  type ImportRecord,
  importsOfInput,
  prepareRows,
  updateImport,
} from "../database/import-records.ts";
import { type RowChange, RowRecorder } from "../database/row-recorder.ts";
import { type RecordedRow, recordedRows } from "../database/rows.ts";
import type { Row, RowCounts, RowOutcome, RowState } from "../types.ts";
import type { RunAbort } from "./abort.ts";
import { SyncRule } from "./sync-rule.ts";

/** What an ImportRun is made of. */
export interface ImportRunParts {
  readonly database: ImportDatabase;
  /** The import as it was when the run began. */
  readonly record: ImportRecord;
  readonly abort: RunAbort;
  readonly clock: Pick<Clock, "now" | "sleep">;
  /** Returns the limits that the service last reported. */
  readonly limits: () => RateLimits;
}

/** All that is known of a run: its import, how many rows are in which state, and why it stops. */
export class ImportRun {
  /** The import as it was when the run began. */
  readonly record: ImportRecord;
  /** Why the run stops, and what it stops. */
  readonly abort: RunAbort;
  readonly #parts: ImportRunParts;
  readonly #sync: SyncRule;
  readonly #recorder: RowRecorder;
  /** The records of other stores that answered in between. */
  readonly #others = new Map<string, RowRecorder>();
  #storeId: string | null;

  constructor(parts: ImportRunParts) {
    const { record, abort, limits } = parts;
    this.record = record;
    this.abort = abort;
    this.#parts = parts;
    this.#storeId = record.store;
    this.#sync = new SyncRule(limits, record.unsent);
    this.#recorder = this.#recorderOf(record);
  }

  /** How many rows are in each state, as recorded. */
  get counts(): RowCounts {
    return this.#recorder.counts;
  }

  /** Returns what was recorded of these rows before the run; nothing for rows that are unsent. */
  recorded(rows: readonly Row[]): ReadonlyMap<number, RecordedRow> {
    const { database, record } = this.#parts;
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return new Map();
    return recordedRows(database, record, [first.index, last.index]);
  }

  /** Records a change of a row; it holds when the promise resolves. */
  recordChange(change: RowChange): Promise<void> {
    return this.#recorder.record(change);
  }

  /** Records that the last send of a row had no effect: it is again what it was before. */
  recordUnsent(row: Row, before: RowState): Promise<void> {
    this.#sync.onRefused();
    return this.recordChange({ row, to: before === "sent" ? "unknown" : before });
  }

  /** Records how a row ended. */
  recordEnd(end: RowOutcome): Promise<void> {
    return this.recordChange(changeOf(end));
  }

  /**
   * Returns whether this is the id of the run's own store. The first id that is received becomes that;
   * a different one stops the run.
   */
  accepts(storeId: string): boolean {
    const { database, record, abort } = this.#parts;
    if (this.#storeId === null) updateImport(database, record.id, "store = ?", storeId);
    this.#storeId ??= storeId;
    if (this.#storeId === storeId) return true;
    const replaced = `the store at ${record.host} was replaced by another one during the run`;
    const hints = ["run the command again to send all animals to the new store"];
    abort.stop(new Failure("service", replaced, { hints, retryable: true }));
    return false;
  }

  /** Records for another store how a row ended there, unless it was added there before. */
  async recordElsewhere(storeId: string, end: RowOutcome): Promise<void> {
    const { database } = this.#parts;
    const other = this.#others.get(storeId) ?? this.#recorderOf(this.#openOther(storeId));
    this.#others.set(storeId, other);
    const { index } = end.row;
    if (recordedRows(database, other, [index, index]).get(index)?.state !== "added")
      await other.record(changeOf(end));
  }

  /** Waits until all is recorded, or has failed. */
  settled(): Promise<void> {
    return this.#recorder.settled();
  }

  /** Records that no row is left, if so. */
  finish(): void {
    const { database, record, clock } = this.#parts;
    if (this.counts.unsent === 0)
      updateImport(database, record.id, "isFinished = 1, active = ?", clock.now());
  }

  #recorderOf(record: ImportRecord): RowRecorder {
    const { database, clock } = this.#parts;
    return new RowRecorder(database, record, clock, ({ unsent }) => this.#sync.mustSync(unsent));
  }

  /** Finds or begins the import of the same input for another store. */
  #openOther(store: string): ImportRecord {
    const { database, record, clock } = this.#parts;
    const found = importsOfInput(database, record.input).find((each) => each.store === store);
    const other = found ?? beginImport(database, { ...record, started: clock.now() }, { store });
    prepareRows(database, other);
    return other;
  }
}

function changeOf(end: RowOutcome): RowChange {
  const { row, outcome } = end;
  if (end.outcome === "added") return { row, to: "added", id: end.pet.id };
  const { code, message } = end.failure;
  return { row, to: outcome, error: { code, message: withoutName(message, row.pet.name) } };
}

/** Masks the name of an animal: names are not recorded. */
function withoutName(message: string, name: string): string {
  return [name, JSON.stringify(name).slice(1, -1), name.trim()]
    .filter((each) => each !== "")
    .reduce((text, each) => text.replaceAll(each, "…"), message);
}
