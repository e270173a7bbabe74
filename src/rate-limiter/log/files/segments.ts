import { ioFailure } from "../../../core/errors.ts";
import type { Timestamp } from "../../rules/records.ts";
import { expirePermits } from "../../rules/reducer.ts";
import { snapshotRecords } from "../../rules/snapshot.ts";
import type { LimiterState } from "../../rules/state.ts";
import { encodeSnapshot } from "../codec.ts";
import { SegmentFile, maxSegmentBytes } from "./segment-file.ts";
import { generations, pruneOld, type SegmentPaths } from "./segment-paths.ts";
import { Segment } from "./segment.ts";

/** The state of a log at the end of a generation. */
export interface Snapshot {
  readonly state: LimiterState;
  readonly upTo: number;
}

/** How often other processes may rotate the log under a step before it fails. */
export const maxAttempts = 50;

/** The segments of one log. Every method throws the file system's errors. */
export class SegmentStore {
  readonly #files: SegmentPaths;
  readonly #now: () => Timestamp;

  constructor(files: SegmentPaths, now: () => Timestamp) {
    this.#files = files;
    this.#now = now;
  }

  /**
   * Opens the active segment, of those later than `after`: the latest with a snapshot, as the process
   * that created a later one may have died before its first line. If there is none, creates one from
   * `snapshot`, or from a sealed segment that is newer. `existing` are the generations, if just listed.
   */
  openActive(snapshot: Snapshot, after: number, existing = generations(this.#files)): Segment {
    let [last, latest, known] = [after, snapshot, existing];
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      // Other processes may have created and sealed segments since.
      const next = Math.max(last + 1, known.at(-1) ?? 1);
      const segment = this.#latestValid(known, last) ?? this.#create(latest.state, next);
      if (segment !== undefined && !segment.sealed) return segment;
      if (segment !== undefined) {
        segment.file.close();
        last = segment.file.generation;
        if (last >= latest.upTo) latest = { state: segment.state, upTo: last };
      }
      known = generations(this.#files);
    }
    throw this.failure();
  }

  /** Returns the failure of a log whose files do not keep what is written to them. */
  failure(): Error {
    return ioFailure(
      `rate-limit state in ${this.#files.folder} is unusable: data written there does not persist`,
    );
  }

  #latestValid(existing: readonly number[], after: number): Segment | undefined {
    for (const generation of existing.filter((one) => one > after).toReversed()) {
      const file = SegmentFile.open(this.#files, generation);
      const segment = file && new Segment(file);
      segment?.readNew(this.#now());
      if (segment?.hasSnapshot) return segment;
      file?.close();
    }
    return undefined;
  }

  /** Creates the segment of `generation`; undefined if other processes are already past it. */
  #create(state: LimiterState, generation: number): Segment | undefined {
    const file = new SegmentFile(this.#files, generation);
    const segment = new Segment(file);
    if (file.sizeAtFirst > maxSegmentBytes) {
      file.close();
      return this.#create(state, generation + 1);
    }
    segment.readNew(this.#now());
    // Recreating a segment that others are already past would split the log in two.
    const isStale = file.sizeAtFirst === 0 && generations(this.#files).at(-1) !== generation;
    if (!isStale && !segment.hasSnapshot) this.#writeSnapshot(segment, state);
    if (!isStale && segment.hasSnapshot) return segment;
    file.close();
    return undefined;
  }

  #writeSnapshot(segment: Segment, state: LimiterState): void {
    const now = this.#now();
    expirePermits(state, now.uptime);
    segment.file.write(encodeSnapshot(snapshotRecords(state, now)));
    segment.readNew(this.#now());
    if (segment.hasSnapshot) pruneOld(this.#files, segment.file.generation, maxSegmentBytes);
  }
}
