import type { Line } from "./line.ts";
import type { LogFile } from "./log-file.ts";
import type { GateRecord } from "./records.ts";
import { applyRecord } from "./replay.ts";
import type { Stamp } from "./stamp.ts";
import { emptyState, type GateState } from "./state.ts";

/**
 * A file of so many bytes, its beginning not counted, is sealed, and the log goes on in the next one:
 * every command reads it whole, which takes some 10 µs a record where nothing has compiled yet.
 */
const fullSize = 4 * 1024;
/** For one that adds thousands: to begin a file takes some 200 µs. */
const fullSizeOfMany = 16 * 1024;

/** Records that were just written, and how. */
export interface Own {
  readonly text: string;
  readonly records: readonly GateRecord[];
}

/**
 * One file of a log, and what its records come to: those behind its first beginning, which carries
 * over the file before it, and up to its first seal. Every method throws what the system says.
 */
export class Chapter {
  readonly file: LogFile;
  readonly state: GateState = emptyState();
  #begun = false;
  #sealed = false;
  #beginning = 0;

  constructor(file: LogFile) {
    this.file = file;
  }

  /** Whether it has its beginning, without which nothing in it counts. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Whether the log goes on in a later file. */
  get sealed(): boolean {
    return this.#sealed;
  }

  /** Whether the log is to go on in the next file; later for one that adds `many` records. */
  isFull(many: boolean): boolean {
    return this.file.position > this.#beginning + (many ? fullSizeOfMany : fullSize);
  }

  /**
   * Takes in what is new, at `now`; answers whether `own` was among it, and counts. Undefined where
   * the file can be used no more.
   */
  takeIn(now: Stamp, own?: Own): boolean | undefined {
    const size = this.file.size();
    if (size === undefined) return undefined;
    if (size === this.file.position) return false;
    if (own !== undefined && this.#begun && this.file.pass(own.text, size)) {
      for (const record of own.records) applyRecord(this.state, record, now);
      return true;
    }
    // They are one write, so all of them count where the last does.
    const last = own?.text.slice(own.text.lastIndexOf("\n") + 1);
    let found = false;
    for (const { text, line } of this.file.readLines(size)) {
      if (line === undefined || !this.#take(line, text.length, now)) continue;
      found ||= text === last;
    }
    return found;
  }

  /** Takes `line`, and answers whether it counts. */
  #take(line: Line, length: number, now: Stamp): boolean {
    const isBeginning = "carried" in line;
    if (this.#sealed || isBeginning === this.#begun) return false;
    if (isBeginning) {
      this.#begun = true;
      this.#beginning = length;
    } else this.#sealed = line.record.event.kind === "seal";
    const records = isBeginning ? line.carried : [line.record];
    for (const record of records) applyRecord(this.state, record, now);
    return true;
  }
}
