import { ioFailure } from "../../core/errors.ts";
import { snapshotRecords } from "./carry.ts";
import { Segment } from "./segment.ts";
import { encodeSnapshot } from "./line.ts";
import { maxSegmentBytes, LogFile } from "./segment-file.ts";
import { generations, type SegmentPaths, pruneOld } from "./segment-paths.ts";
import { expirePermits } from "../reducer.ts";
import type { Timestamp } from "./stamp.ts";
import type { LimiterState } from "../state.ts";

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
