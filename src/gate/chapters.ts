import { ioFailure } from "../errors.ts";
import { carry } from "./carry.ts";
import { Chapter } from "./chapter.ts";
import { beginLine } from "./line.ts";
import { hugeSize, LogFile } from "./log-file.ts";
import { generations, type LogFiles, removeOlder } from "./log-files.ts";
import { expire } from "./replay.ts";
import type { Stamp } from "./stamp.ts";
import type { GateState } from "./state.ts";

/** What is carried over: what a log came to by the end of a generation. */
export interface Carried {
  readonly state: GateState;
  readonly upTo: number;
}

/** How often the log may go on under a step before that is given up. */
export const mostTries = 50;

/** The files of one log. Every method throws what the file system says. */
export class Chapters {
  readonly #files: LogFiles;
  readonly #now: () => Stamp;

  /** `now` is the machine's time. */
  constructor(files: LogFiles, now: () => Stamp) {
    this.#files = files;
    this.#now = now;
  }

  /**
   * The file in use, of those later than `after`: the latest that has a beginning, for whoever made a
   * later one may have died before its first line. Where there is none it is begun, with what is
   * `carried` or, where that is newer, with what a sealed one came to. `there` are the generations
   * that are there, where they were just looked up.
   */
  inUse(carried: Carried, after: number, there = generations(this.#files)): Chapter {
    let [last, held, known] = [after, carried, there];
    for (let tries = 0; tries < mostTries; tries += 1) {
      // Of those that came since, one may have begun and ended already.
      const next = Math.max(last + 1, known.at(-1) ?? 1);
      const chapter = this.#latestBegun(known, last) ?? this.#begin(held.state, next);
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

  #latestBegun(there: readonly number[], after: number): Chapter | undefined {
    for (const generation of there.filter((one) => one > after).toReversed()) {
      const file = LogFile.find(this.#files, generation);
      const chapter = file && new Chapter(file);
      chapter?.takeIn(this.#now());
      if (chapter?.begun) return chapter;
      file?.close();
    }
    return undefined;
  }

  /** Begins the file of `generation`; undefined where others have left it behind. */
  #begin(carried: GateState, generation: number): Chapter | undefined {
    const file = LogFile.make(this.#files, generation);
    const chapter = new Chapter(file);
    if (file.wasHuge) {
      file.close();
      return this.#begin(carried, generation + 1);
    }
    chapter.takeIn(this.#now());
    // Made anew, a file that others have left behind would split the log in two.
    const isLeft = file.wasEmpty && generations(this.#files).at(-1) !== generation;
    if (!isLeft && !chapter.begun) this.#writeBeginning(chapter, carried);
    if (!isLeft && chapter.begun) return chapter;
    file.close();
    return undefined;
  }

  #writeBeginning(chapter: Chapter, carried: GateState): void {
    const now = this.#now();
    expire(carried, now.uptime);
    chapter.file.write(beginLine(carry(carried, now)));
    chapter.takeIn(this.#now());
    if (chapter.begun) removeOlder(this.#files, chapter.file.generation, hugeSize);
  }
}
