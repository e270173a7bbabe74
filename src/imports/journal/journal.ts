import type { Lock } from "../../platform/sqlite-lock.ts";
import type { ObservedLimits } from "../../rate-limiter/rules/records.ts";
import type { JournalFile } from "./file.ts";
import { type JournalRecord, encodeLine, type RowEvent, type RowMark } from "./codec.ts";
import type { Replayed } from "./replay.ts";
import type { RowCounts, RowStates } from "./row-states.ts";
import { alwaysSyncFirst, type Workload, isRateLimited } from "./deferred-sync.ts";
import type { JournalRef, JournalView } from "./read.ts";
import type { RowOutcome, RowState } from "../types.ts";

/** If no limit sets the pace, the file is checked for outside changes only before every n-th send. */
const checkEvery = 16;

/** What a run opens its journal with. */
export interface JournalOptions extends JournalRef {
  /** A hash of the API key and its origin that does not reveal the key (`limiterId`). */
  readonly key: string;
  /** The name of the input, for people who read the file. */
  readonly input: string;
  /** Returns the last limits that the service reported; called before each send. */
  readonly limits: () => ObservedLimits;
}

/** The parts of an open journal. */
export interface JournalParts {
  readonly options: JournalOptions;
  readonly file: JournalFile;
  readonly lock: Lock;
  readonly found: Pick<Replayed, "rows" | "key" | "isFinished" | "crc" | "storeId">;
}

/**
 * The journal of a run, locked against other runs. When a recording method returns, its record is in
 * the file and survives the process. If limits set the pace, a send is also on the disk by then, and
 * survives a power loss. A recording method throws an io Failure if it can't write. After that no row may
 * be sent, but rows in flight may still be recorded if there is room again.
 */
export class Journal implements JournalView {
  readonly file: string;
  /** Whether the run was started with another key. */
  readonly keyChanged: boolean;
  readonly #options: JournalOptions;
  readonly #file: JournalFile;
  readonly #lock: Lock;
  readonly #rows: RowStates;
  #isFinished: boolean;
  #storeId: string | undefined;
  #crc: number;
  #atStart: number;
  #sends = 0;
  #isPaced = false;
  #isClosed = false;

  /** Use `openJournal`. */
  constructor({ options, file, lock, found }: JournalParts) {
    this.file = file.file;
    this.keyChanged = found.key !== options.key;
    this.#options = options;
    this.#file = file;
    this.#lock = lock;
    this.#rows = found.rows;
    this.#isFinished = found.isFinished;
    this.#storeId = found.storeId;
    this.#crc = found.crc;
    this.#atStart = found.rows.left;
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  get storeId(): string | undefined {
    return this.#storeId;
  }

  get counts(): RowCounts {
    return this.#rows.counts;
  }

  isMarked(row: number): boolean {
    return this.#rows.isMarked(row);
  }

  /** Records the id of the store that the rows are sent to. */
  recordStore(id: string): void {
    this.#append({ kind: "store", id });
    this.#storeId = id;
  }

  /** Records that rows, in ascending order, are `known` and not sent, or `accepted` and sent anyway. */
  markRows(rows: Iterable<number>, mark: RowMark): void {
    for (const [row, count] of rangesOf(rows)) {
      this.#append({ kind: mark, row, count });
      if (!this.#rows.mark(row, count, mark)) throw new TypeError(`row ${row} can't be ${mark}`);
    }
    this.#atStart = this.#rows.left;
  }

  /** Records that the store has the animal of a row in doubt, under this id. */
  recordFound(row: number, id: bigint): void {
    this.#record(row, "found", { kind: "found", row, id });
  }

  /** Records that the store does not have the animal of a row in doubt: it is unsent again. */
  recordAbsent(row: number): void {
    this.#record(row, "absent", { kind: "absent", row });
  }

  state(row: number): RowState {
    return this.#rows.state(row);
  }

  /** Records that a row is about to be sent. Throws a TypeError for one that was added or rejected. */
  recordSend(row: number): void {
    const mustSync = this.#mustSync();
    if (mustSync || this.#sends % checkEvery === 0) this.#file.check();
    this.#record(row, "send", { kind: "send", row });
    if (mustSync) this.#file.sync();
    this.#sends += 1;
  }

  /** Records that the service refused the last send of a row and did nothing (401, 403, 429). */
  recordRefused(row: number): void {
    this.#record(row, "refused", { kind: "refused", row });
    // Some services report a limit only by a refusal.
    this.#isPaced = true;
  }

  /** Records how a row ended, and the id that an added one got. */
  recordOutcome(row: number, outcome: RowOutcome["outcome"], id?: bigint): void {
    if (outcome !== "added") this.#record(row, outcome, { kind: outcome, row });
    else if (id === undefined) throw new TypeError(`row ${row} was added without an id`);
    else this.#record(row, outcome, { kind: outcome, row, id });
  }

  /** Records that the input is sent again: makes every row unsent. */
  restart(): void {
    this.#append({ kind: "again", key: this.#options.key });
    this.#rows.clear();
    this.#isFinished = false;
    this.#atStart = this.#rows.left;
  }

  /** Records that the run finished. Throws a TypeError if a row is unsent. */
  finish(): void {
    if (this.#isFinished) return;
    const { unsent } = this.counts;
    if (unsent > 0) throw new TypeError(`can't finish a run with ${unsent} unsent rows`);
    this.#file.check();
    this.#append({ kind: "finished" });
    this.#isFinished = true;
    this.#file.sync();
  }

  /** Syncs what is left, and releases the lock. Never throws. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#file.close();
    this.#lock.release();
  }

  #record(row: number, event: RowEvent, record: JournalRecord): void {
    if (!this.#rows.allows(row, event))
      throw new TypeError(`row ${row} is ${this.#rows.state(row)}: there is no "${event}" for it`);
    this.#append(record);
    this.#rows.apply(row, event);
    this.#isFinished = false;
  }

  #append(record: JournalRecord): void {
    const { text, crc } = encodeLine(record, this.#crc);
    this.#file.write(text);
    this.#crc = crc;
  }

  #mustSync(): boolean {
    const workload: Workload = { atStart: this.#atStart, left: this.#rows.left };
    this.#isPaced ||= isRateLimited(this.#options.limits(), workload);
    return this.#isPaced || this.#sends < alwaysSyncFirst;
  }
}

/** Yields the first of each run of consecutive numbers, and how many there are. */
function* rangesOf(rows: Iterable<number>): Generator<readonly [number, number]> {
  let first = 0;
  let count = 0;
  for (const row of rows) {
    if (count > 0 && row !== first + count) {
      yield [first, count];
      count = 0;
    }
    if (count === 0) first = row;
    count += 1;
  }
  if (count > 0) yield [first, count];
}
