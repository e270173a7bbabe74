/** How far sends may lag behind a fast pace, in ms, and still catch up: timers fire late. */
const lagMs = 5;
/** A pace with shorter intervals, in ms, may catch up. */
const shortIntervalMs = 20;

/** Decides when the next row may be sent at an even pace (`--rate`); times are monotonic, in ms. */
export class EvenPace {
  readonly #intervalMs: number;
  #isPending = false;
  #nextAt = Number.NEGATIVE_INFINITY;

  /** `intervalMs` is the least time between two sends; 0 for any. */
  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** Returns how long the next send has to wait at `now`, in ms; Infinity until the one before has left. */
  delay(now: number): number {
    return this.#isPending ? Number.POSITIVE_INFINITY : Math.max(0, this.#nextAt - now);
  }

  /** Records that a send was begun: it may have to wait for the rate limiter. */
  begin(): void {
    this.#isPending = this.#intervalMs > 0;
  }

  /** Records that it leaves. */
  sent(now: number): void {
    const lag = this.#intervalMs < shortIntervalMs ? lagMs : 0;
    this.#nextAt = Math.max(this.#nextAt, now - lag) + this.#intervalMs;
    this.#isPending = false;
  }

  /** Records that it did not leave. */
  cancel(): void {
    this.#isPending = false;
  }
}
