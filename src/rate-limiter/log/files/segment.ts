import type { Timestamp } from "../../rules/records.ts";
import { applyRecord } from "../../rules/reducer.ts";
import { emptyState, type LimiterState } from "../../rules/state.ts";
import type { LogLine } from "../codec.ts";
import type { SegmentFile } from "./segment-file.ts";

/**
 * A segment of this size, without its snapshot, is sealed. Every command reads all of it, which takes
 * about 10 µs per record in code that is not compiled yet (test/bench/limiter/replay.ts).
 */
const segmentBytes = 4 * 1024;

/**
 * One file of a log, and the state after its records: from its first snapshot, which has the state of
 * the previous segment, to its first seal. Every method throws the system's errors.
 */
export class Segment {
  readonly file: SegmentFile;
  readonly state: LimiterState = emptyState();
  /** Whether it has its snapshot, without which no record in it counts. */
  hasSnapshot = false;
  /** Whether the log continues in a later segment. */
  sealed = false;
  #snapshotBytes = 0;

  constructor(file: SegmentFile) {
    this.file = file;
  }

  get isFull(): boolean {
    return this.file.position > this.#snapshotBytes + segmentBytes;
  }

  /**
   * Applies new records at `now`; returns true if `own` was among them and counts. Returns undefined if
   * the file can no longer be used.
   */
  readNew(now: Timestamp, own?: string): boolean | undefined {
    const size = this.file.size();
    if (size === undefined) return undefined;
    if (size === this.file.position) return false;
    // They are one write, so all of them count if the last one does.
    const last = own?.slice(own.lastIndexOf("\n") + 1);
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
    if (this.sealed || isSnapshot === this.hasSnapshot) return false;
    if (isSnapshot) {
      this.hasSnapshot = true;
      this.#snapshotBytes = length;
    } else this.sealed = line.record.event.kind === "seal";
    const records = isSnapshot ? line.snapshot : [line.record];
    for (const record of records) applyRecord(this.state, record, now);
    return true;
  }
}
