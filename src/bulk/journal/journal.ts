import type { Lock } from "../../platform/sqlite-lock.ts";
import type { ObservedLimits } from "../../rate-limiter/log/records.ts";
import type { JournalFile } from "./file.ts";
import { type JournalRecord, encodeLine, type RowEvent } from "./codec.ts";
import type { Replayed } from "./replay.ts";
import type { RowCounts, RowStates } from "./row-states.ts";
import { alwaysSyncFirst, type Workload, isRateLimited } from "./deferred-sync.ts";
import type { JournalRef, JournalView } from "./read.ts";
import type { RowOutcome, RowState } from "../types.ts";

/**
 * Where no limit sets the pace, one send in so many looks whether the file is as it was left. The
 * others are lost with it, where it is not, as all before them.
 */
const checkEvery = 16;

/** What the journal of a run is given. */
export interface JournalOptions extends JournalRef {
  /** A hash of the key and its origin, by which the key can't be told (`limiterId`). */
  readonly key: string;
  /** What the input is called, for a human who looks into the file. */
  readonly input: string;
  /** The limits that the service told last, asked before each send. */
  readonly limits: () => ObservedLimits;
}

/** What an open journal is made of. */
export interface JournalParts {
  readonly options: JournalOptions;
  readonly file: JournalFile;
  readonly lock: Lock;
  readonly found: Pick<Replayed, "rows" | "key" | "isFinished" | "crc">;
}

/**
 * The journal of a run, which alone may write it. Each record is in the file when its method
 * returns, and outlasts the process; where the limits set the pace, that of a send is on the disk by
 * then, and outlasts a power loss. Every method that records throws an io Failure where it can't,
 * and then nothing may be sent any more; what ends may still be recorded, where there is room again.
 */
export class Journal implements JournalView {
  readonly file: string;
  /** Whether the run was begun with another key. */
  readonly keyChanged: boolean;
  readonly #options: JournalOptions;
  readonly #file: JournalFile;
  readonly #lock: Lock;
  readonly #rows: RowStates;
  #isFinished: boolean;
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
    this.#crc = found.crc;
    this.#atStart = found.rows.left;
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  get counts(): RowCounts {
    return this.#rows.counts;
  }

  state(row: number): RowState {
    return this.#rows.state(row);
  }

  /** Records that a row is about to be sent. One that was added or rejected is not sent again. */
  recordSend(row: number): void {
    const mustSync = this.#mustSync();
    if (mustSync || this.#sends % checkEvery === 0) this.#file.check();
    this.#record(row, "send", { kind: "send", row });
    if (mustSync) this.#file.sync();
    this.#sends += 1;
  }

  /** Records that the service did nothing with the last send of a row: it refused it (401, 403, 429). */
  recordRefused(row: number): void {
    this.#record(row, "refused", { kind: "refused", row });
    // A refusal is how a service tells of a limit that says nothing else of it.
    this.#isPaced = true;
  }

  /** Records how a row ended, and the id that an added one got. */
  recordOutcome(row: number, outcome: RowOutcome["outcome"], id?: bigint): void {
    if (outcome !== "added") this.#record(row, outcome, { kind: outcome, row });
    else if (id === undefined) throw new TypeError(`row ${row} was added without an id`);
    else this.#record(row, outcome, { kind: outcome, row, id });
  }

  /** Records that the input is sent anew: every row is unsent then. */
  restart(): void {
    this.#append({ kind: "again", key: this.#options.key });
    this.#rows.clear();
    this.#isFinished = false;
    this.#atStart = this.#rows.left;
  }

  /** Records that the run came to its end: no row is left that it is to send. */
  finish(): void {
    if (this.#isFinished) return;
    const { unsent } = this.counts;
    if (unsent > 0) throw new TypeError(`no end of a run of which ${unsent} rows are unsent`);
    this.#file.check();
    this.#append({ kind: "finished" });
    this.#isFinished = true;
    this.#file.sync();
  }

  /** Brings what is left to the disk, and lets others have the journal. Never throws. */
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
    const load: Workload = { atStart: this.#atStart, left: this.#rows.left };
    this.#isPaced ||= isRateLimited(this.#options.limits(), load);
    return this.#isPaced || this.#sends < alwaysSyncFirst;
  }
}
