/** The period that the rate mostly depends on, in ms: the shortest window of the limits. */
const windowMs = 60_000;
/** With less time, or with fewer rows lately, no rate is known. */
const minimum = { ms: 900, rows: 0.05 } as const;

/**
 * Measures how fast rows end: a mean in which the last minute weighs most. Time in which every request waited
 * and no row ended does not count. Times are monotonic, in ms.
 */
export class RateMeter {
  #at: number;
  #done = 0;
  #weightedMs = 0;
  #weightedRows = 0;

  constructor(now: number) {
    this.#at = now;
  }

  /**
   * Records that `done` rows have ended at `now`, and returns the rows a second; undefined until that
   * is known. `isHeld` means that every request has to wait.
   */
  update(now: number, done: number, isHeld = false): number | undefined {
    const [ms, rows] = [now - this.#at, done - this.#done];
    this.#at = now;
    this.#done = done;
    if (!isHeld || rows > 0) {
      const weight = Math.exp(-ms / windowMs);
      this.#weightedMs = this.#weightedMs * weight + ms;
      this.#weightedRows = this.#weightedRows * weight + rows;
    }
    if (this.#weightedMs < minimum.ms || this.#weightedRows < minimum.rows) return undefined;
    return (this.#weightedRows / this.#weightedMs) * 1000;
  }
}
