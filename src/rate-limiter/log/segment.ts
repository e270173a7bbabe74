import type { LogLine } from "./codec.ts";
import type { LogFile } from "./segment-file.ts";
import type { LogRecord, Timestamp } from "./records.ts";
import { applyRecord } from "../reducer.ts";
import { emptyState, type LimiterState } from "../state.ts";

/**
 * A file of so many bytes, its beginning not counted, is sealed, and the log goes on in the next one:
 * every command reads it whole, which takes some 10 µs a record where nothing has compiled yet.
 */
const segmentBytes = 4 * 1024;
/** For one that adds thousands: to begin a file takes some 200 µs. */
const largeSegmentBytes = 16 * 1024;

/** Records that were just written, and how. */
export interface OwnAppend {
  readonly text: string;
  readonly records: readonly LogRecord[];
}

/**
 * One file of a log, and what its records come to: those behind its first beginning, which carries
 * over the file before it, and up to its first seal. Every method throws what the system says.
 */
export class Segment {
  readonly file: LogFile;
  readonly state: LimiterState = emptyState();
  #begun = false;
  #sealed = false;
  #snapshotBytes = 0;

  constructor(file: LogFile) {
    this.file = file;
  }

  /** Whether it has its beginning, without which nothing in it counts. */
  get hasSnapshot(): boolean {
    return this.#begun;
  }

  /** Whether the log goes on in a later file. */
  get sealed(): boolean {
    return this.#sealed;
  }

  /** Whether the log is to go on in the next file; later for one that adds `many` records. */
  isFull(many: boolean): boolean {
    return this.file.position > this.#snapshotBytes + (many ? largeSegmentBytes : segmentBytes);
  }

  /**
   * Takes in what is new, at `now`; answers whether `own` was among it, and counts. Undefined where
   * the file can be used no more.
   */
  readNew(now: Timestamp, own?: OwnAppend): boolean | undefined {
    const size = this.file.size();
    if (size === undefined) return undefined;
    if (size === this.file.position) return false;
    if (own !== undefined && this.#begun && this.file.skipOwnWrite(own.text, size)) {
      for (const record of own.records) applyRecord(this.state, record, now);
      return true;
    }
    // They are one write, so all of them count where the last does.
    const last = own?.text.slice(own.text.lastIndexOf("\n") + 1);
    let found = false;
    for (const { text, line } of this.file.readLines(size)) {
      if (line === undefined || !this.#applyLine(line, text.length, now)) continue;
      found ||= text === last;
    }
    return found;
  }

  /** Takes `line`, and answers whether it counts. */
  #applyLine(line: LogLine, length: number, now: Timestamp): boolean {
    const isBeginning = "snapshot" in line;
    if (this.#sealed || isBeginning === this.#begun) return false;
    if (isBeginning) {
      this.#begun = true;
      this.#snapshotBytes = length;
    } else this.#sealed = line.record.event.kind === "seal";
    const records = isBeginning ? line.snapshot : [line.record];
    for (const record of records) applyRecord(this.state, record, now);
    return true;
  }
}
