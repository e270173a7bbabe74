import { ioFailure } from "../../core/errors.ts";
import { expirePermits } from "../reducer.ts";
import type { LimiterState, Permit } from "../state.ts";
import { encodeSnapshot } from "./codec.ts";
import { type LimiterEvent, type LogRecord, type Timestamp, timestampAt } from "./records.ts";
import { LogFile, maxSegmentBytes } from "./segment-file.ts";
import { generations, pruneOld, type SegmentPaths } from "./segment-paths.ts";
import { Segment } from "./segment.ts";

/** What is carried over: what a log came to by the end of a generation. */
export interface Snapshot {
  readonly state: LimiterState;
  readonly upTo: number;
}

/** How often the log may go on under a step before that is given up. */
export const maxAttempts = 50;

/** The files of one log. Every method throws what the file system says. */
export class SegmentStore {
  readonly #files: SegmentPaths;
  readonly #now: () => Timestamp;

  /** `now` is the machine's time. */
  constructor(files: SegmentPaths, now: () => Timestamp) {
    this.#files = files;
    this.#now = now;
  }

  /**
   * The file in use, of those later than `after`: the latest that has a beginning, for whoever made a
   * later one may have died before its first line. Where there is none it is begun, with what is
   * `carried` or, where that is newer, with what a sealed one came to. `there` are the generations
   * that are there, where they were just looked up.
   */
  openActive(carried: Snapshot, after: number, there = generations(this.#files)): Segment {
    let [last, held, known] = [after, carried, there];
    for (let tries = 0; tries < maxAttempts; tries += 1) {
      // Of those that came since, one may have begun and ended already.
      const next = Math.max(last + 1, known.at(-1) ?? 1);
      const chapter = this.#latestValid(known, last) ?? this.#create(held.state, next);
      if (chapter !== undefined && !chapter.sealed) return chapter;
      if (chapter !== undefined) {
        chapter.file.close();
        last = chapter.file.generation;
        if (last >= held.upTo) held = { state: chapter.state, upTo: last };
      }
      known = generations(this.#files);
    }
    throw this.failure();
  }

  /** The failure of a log whose files do not do what files do. */
  failure(): Error {
    return ioFailure(`the state in ${this.#files.folder} does not keep what is written to it`);
  }

  #latestValid(there: readonly number[], after: number): Segment | undefined {
    for (const generation of there.filter((one) => one > after).toReversed()) {
      const file = LogFile.open(this.#files, generation);
      const chapter = file && new Segment(file);
      chapter?.readNew(this.#now());
      if (chapter?.hasSnapshot) return chapter;
      file?.close();
    }
    return undefined;
  }

  /** Begins the file of `generation`; undefined where others have left it behind. */
  #create(carried: LimiterState, generation: number): Segment | undefined {
    const file = LogFile.create(this.#files, generation);
    const chapter = new Segment(file);
    if (file.isOversized) {
      file.close();
      return this.#create(carried, generation + 1);
    }
    chapter.readNew(this.#now());
    // Made anew, a file that others have left behind would split the log in two.
    const isLeft = file.wasEmpty && generations(this.#files).at(-1) !== generation;
    if (!isLeft && !chapter.hasSnapshot) this.#writeSnapshot(chapter, carried);
    if (!isLeft && chapter.hasSnapshot) return chapter;
    file.close();
    return undefined;
  }

  #writeSnapshot(chapter: Segment, carried: LimiterState): void {
    const now = this.#now();
    expirePermits(carried, now.uptime);
    chapter.file.write(encodeSnapshot(snapshotRecords(carried, now)));
    chapter.readNew(this.#now());
    if (chapter.hasSnapshot) pruneOld(this.#files, chapter.file.generation, maxSegmentBytes);
  }
}

/**
 * How many places are carried as such, so that a beginning stays short: many may write one at once.
 * Those before them count as sent.
 */
const maxSnapshotPermits = 100;

/** The records that make a new `state` of the same kind: what the next file of a log begins with. */
export function snapshotRecords(state: LimiterState, now: Timestamp): readonly LogRecord[] {
  const record = (at: number, event: LimiterEvent): LogRecord => ({
    stamp: timestampAt(at, now),
    event,
  });
  const placeRecord = ({ id, pid, at, expiresAt, probe }: Permit): LogRecord =>
    record(at, { kind: probe ? "probe" : "reserve", id, pid, lifeMs: expiresAt - at });
  const { block, lastObserved, strikes, windows } = state;
  const limits = windows.map(({ limit, remaining, reset, endsBy }) => {
    const at = lastObserved?.at ?? now.uptime;
    const told = { limit, remaining, reset, endsIn: endsBy - at };
    return record(at, { kind: "limits", limits: told });
  });
  const { places, lost } = dropOldest(state, now.uptime);
  const status = block?.status ?? 0;
  const waitMs = Math.max(0, (block?.until ?? 0) - now.uptime);
  return [
    ...limits,
    ...(lastObserved === undefined
      ? []
      : [record(lastObserved.at, { kind: "limits", limits: lastObserved.limits })]),
    ...(lost.count === 0 ? [] : [record(lost.at, { kind: "lost", count: lost.count })]),
    ...places.filter(({ afterBackoff }) => !afterBackoff).map(placeRecord),
    ...(block ? [record(now.uptime, { kind: "block", status, waitMs, strikes })] : []),
    ...places.filter(({ afterBackoff }) => afterBackoff).map(placeRecord),
  ];
}

function dropOldest({ places, uncounted }: LimiterState, now: number) {
  const all = [...places.values()];
  const kept = all.slice(-maxSnapshotPermits);
  const left = all.length - kept.length;
  if (left === 0) return { places: all, lost: uncounted };
  return { places: kept, lost: { count: uncounted.count + left, at: now } };
}
