import type { LogLine } from "../codec.ts";
import type { SegmentFile } from "./segment-file.ts";
import type { LogRecord, Timestamp } from "../../rules/records.ts";
import { applyRecord } from "../../rules/reducer.ts";
import { emptyState, type LimiterState } from "../../rules/state.ts";

/**
 * A segment of this size, without its snapshot, is sealed. Every command reads all of it, which takes
 * about 10 µs per record in code that is not compiled yet (test/bench/limiter/replay.ts).
 */
const segmentBytes = 4 * 1024;
/** The same for a process that appends thousands of records: a new segment takes about 200 µs. */
const largeSegmentBytes = 16 * 1024;

/** Records that this process has just written, and their text. */
export interface OwnAppend {
  readonly text: string;
  readonly records: readonly LogRecord[];
}

/**
 * One file of a log, and the state after its records: from its first snapshot, which has the state of
 * the previous segment, to its first seal. Every method throws the system's errors.
 */
export class Segment {
  readonly file: SegmentFile;
  readonly state: LimiterState = emptyState();
  #hasSnapshot = false;
  #sealed = false;
  #snapshotBytes = 0;

  constructor(file: SegmentFile) {
    this.file = file;
  }

  /** Whether it has its snapshot, without which no record in it counts. */
  get hasSnapshot(): boolean {
    return this.#hasSnapshot;
  }

  /** Whether the log continues in a later segment. */
  get sealed(): boolean {
    return this.#sealed;
  }

  /** Returns true if it is time for the next segment; later for a process that is `longRunning`. */
  isFull(longRunning: boolean): boolean {
    return (
      this.file.position > this.#snapshotBytes + (longRunning ? largeSegmentBytes : segmentBytes)
    );
  }

  /**
   * Applies new records at `now`; returns true if `own` was among them and counts. Returns undefined if
   * the file can no longer be used.
   */
  readNew(now: Timestamp, own?: OwnAppend): boolean | undefined {
    const size = this.file.size();
    if (size === undefined) return undefined;
    if (size === this.file.position) return false;
    if (own !== undefined && this.#hasSnapshot && this.file.skipOwnWrite(own.text, size)) {
      for (const record of own.records) applyRecord(this.state, record, now);
      return true;
    }
    // They are one write, so all of them count if the last one does.
    const last = own?.text.slice(own.text.lastIndexOf("\n") + 1);
    let found = false;
    for (const { text, line } of this.file.readLines(size)) {
      if (line === undefined || !this.#applyLine(line, text.length, now)) continue;
      found ||= text === last;
    }
    return found;
  }

  /** Applies `line`, and returns true if it counts. */
  #applyLine(line: LogLine, length: number, now: Timestamp): boolean {
    const isSnapshot = "snapshot" in line;
    if (this.#sealed || isSnapshot === this.#hasSnapshot) return false;
    if (isSnapshot) {
      this.#hasSnapshot = true;
      this.#snapshotBytes = length;
    } else this.#sealed = line.record.event.kind === "seal";
    const records = isSnapshot ? line.snapshot : [line.record];
    for (const record of records) applyRecord(this.state, record, now);
    return true;
  }
}
