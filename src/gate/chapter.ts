import type { GateState } from "./state.ts";
import { emptyState } from "./state.ts";
import type { Line } from "./line.ts";
import type { LogFile } from "./log-file.ts";
import { applyRecord } from "./replay.ts";
import type { Stamp } from "./stamp.ts";

/** A file of so many bytes, its beginning not counted, is full. */
const fullSize = 16 * 1024;

/**
 * One file of a log, and what its records come to: those behind its first beginning, which carries
 * over the file before it, and up to its first seal. Every method throws what the system says.
 */
export class Chapter {
  readonly file: LogFile;
  readonly state: GateState = emptyState();
  #begun = false;
  #sealed = false;
  #full = fullSize;

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

  get isFull(): boolean {
    return this.file.size > this.#full;
  }

  /** Takes in what is new at `now`; answers whether the line `own` was among it, and counts. */
  takeIn(now: Stamp, own?: string): boolean {
    let found = false;
    for (const { text, line } of this.file.readLines()) {
      if (line === undefined || !this.#take(line, text.length, now)) continue;
      found ||= text === own;
    }
    return found;
  }

  /** Takes `line`, and answers whether it counts. */
  #take(line: Line, length: number, now: Stamp): boolean {
    const isBeginning = "carried" in line;
    if (this.#sealed || isBeginning === this.#begun) return false;
    if (isBeginning) {
      this.#begun = true;
      this.#full = fullSize + length;
    } else this.#sealed = line.record.event.kind === "seal";
    const records = isBeginning ? line.carried : [line.record];
    for (const record of records) applyRecord(this.state, record, now);
    return true;
  }
}
