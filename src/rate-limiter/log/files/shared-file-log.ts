import { readdirSync } from "node:fs";
import { ioFailure } from "../../../core/errors.ts";
import { claimOncePerDay } from "../../../platform/once-a-day.ts";
import { ensurePrivateFolder, removeIf } from "../../../platform/private-files.ts";
import type { LogRecord, Timestamp } from "../../rules/records.ts";
import { expirePermits } from "../../rules/reducer.ts";
import { snapshotRecords } from "../../rules/snapshot.ts";
import { emptyState, type LimiterState } from "../../rules/state.ts";
import { encodeLogRecord, encodeSnapshot } from "../codec.ts";
import type { EventLog } from "../event-log.ts";
import { generations, pruneStale, segmentPath, type SegmentPaths } from "./segment-paths.ts";
import { createFlags, openLatest, Segment } from "./segment.ts";

/**
 * The log that all processes of a user share. A record is one `O_APPEND` write, so all see the same order without a lock.
 * A full segment ends with a seal, behind which nothing counts; the next one begins with a snapshot of the state at the
 * seal. Throws the file system's errors, and a Failure for files that something else has changed.
 */
export class SharedFileLog implements EventLog {
  readonly #files: SegmentPaths;
  readonly #now: () => Timestamp;
  #segment: Segment;

  /** Opens the log `files`, and removes stale state. */
  constructor(files: SegmentPaths, now: () => Timestamp) {
    this.#files = files;
    this.#now = now;
    ensurePrivateFolder(files.folder);
    const entries = readdirSync(files.folder);
    const { wall } = now();
    const notices = `${files.folder}/../notices`;
    if (claimOncePerDay(notices, "stale limiter files", wall)) pruneStale(files, entries, wall);
    this.#segment = this.#openActive(emptyState(), 0, generations(files, entries));
  }

  get folder(): string {
    return this.#files.folder;
  }

  get state(): LimiterState {
    return this.#segment.state;
  }

  refresh(): void {
    this.#read();
  }

  append(record: LogRecord): void {
    const line = encodeLogRecord(record);
    for (;;) {
      const segment = this.#segment;
      segment.write(line);
      if (this.#read(line)) break;
      // After a seal it does not count, and is written to the next segment.
      if (segment === this.#segment) throw this.#lossFailure();
    }
    if (!this.#segment.isFull) return;
    this.#segment.write(encodeLogRecord({ stamp: this.#now(), event: { kind: "seal" } }));
    this.#read();
  }

  /** Applies new records, up to those of the latest segment; returns whether `own` was among them and counts. */
  #read(own?: string): boolean {
    const segment = this.#segment;
    const found = segment.read(own);
    if (segment.sealed) {
      this.#segment = this.#openActive(segment.state, segment.generation);
      segment.close();
    }
    return found;
  }

  /**
   * Opens the active segment, of those later than `after`: the latest with a snapshot, as the process that created a
   * later one may have died before its first line. Without one, creates one that begins with `state`.
   */
  #openActive(state: LimiterState, after: number, existing = generations(this.#files)): Segment {
    const later = existing.filter((generation) => generation > after);
    const segment =
      openLatest(this.#files, later, this.#now) ??
      this.#create(state, Math.max(after + 1, later.at(-1) ?? 1));
    if (segment === undefined) return this.#openActive(state, after);
    if (!segment.sealed) return segment;
    segment.close();
    return this.#openActive(segment.state, segment.generation);
  }

  /** Creates the segment of `generation`; undefined if other processes are already past it. */
  #create(state: LimiterState, generation: number): Segment | undefined {
    const segment = new Segment(this.#files, generation, this.#now, createFlags);
    const existing = generations(this.#files);
    if (existing.at(-1) !== generation) {
      segment.close();
      return undefined;
    }
    if (segment.hasSnapshot) return segment;
    const now = this.#now();
    expirePermits(state, now.uptime);
    segment.write(encodeSnapshot(snapshotRecords(state, now)));
    segment.read();
    if (!segment.hasSnapshot) throw this.#lossFailure();
    for (const old of existing)
      if (old < generation - 1) removeIf(segmentPath(this.#files, old), () => true);
    return segment;
  }

  #lossFailure(): Error {
    return ioFailure(
      `rate-limit state in ${this.#files.folder} is unusable: data written there does not persist`,
    );
  }
}
