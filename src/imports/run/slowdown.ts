/** How many rows a second are sent from the success on that ends a trouble. */
const firstRate = 20;
/** The rate doubles in this time, in ms, while nothing goes wrong. */
const doublingMs = 2000;
/** A rate above this counts as unlimited. */
const unlimitedRate = 2000;
/** How far sends may lag behind the rate, in ms, and still catch up: timers fire late. */
const lagMs = 50;
/** How far they may lag behind an even pace, if its interval is short (also in ms). */
const evenLagMs = 5;
const shortIntervalMs = 20;

/**
 * Decides when the next row may be sent (times are monotonic, in ms) while a service is in trouble (`help bulk`): after `n` bad ends in a
 * row it waits for equal jitter over min(20 s, 0.5 s · 2^n), and then sends one row at a time until one
 * succeeds. From that success on the rate grows from 20 rows a second: at full speed, a service that
 * limits requests without announcing it would fail again at once. With an interval (`--rate`) one send follows
 * the other evenly.
 */
export class Slowdown {
  readonly #random: () => number;
  readonly #intervalMs: number;
  /** How many sends in a row ended badly. */
  #failures = 0;
  /** The number of the last outage; a send that began before it does not show whether it is over. */
  #outage = 0;
  #isInTrouble = false;
  #inFlight = 0;
  /** Whether a send began that has to leave before the interval of the next begins. */
  #isPending = false;
  #resumeAt = Number.NEGATIVE_INFINITY;
  /** When the last trouble ended. */
  #recoveredAt = Number.NEGATIVE_INFINITY;
  #nextAt = Number.NEGATIVE_INFINITY;

  /** `random` returns a number from 0 up to 1; `intervalMs` is the least time between two sends. */
  constructor(random: () => number, intervalMs = 0) {
    this.#random = random;
    this.#intervalMs = intervalMs;
  }

  /** Whether no send has succeeded since the last one that went wrong. */
  get isInTrouble(): boolean {
    return this.#isInTrouble;
  }

  /** Returns how long the next send has to wait at `now`, in ms; Infinity until one in flight ends. */
  delay(now: number): number {
    if (this.#isPending || (this.#isInTrouble && this.#inFlight > 0))
      return Number.POSITIVE_INFINITY;
    return Math.max(0, this.#resumeAt - now, this.#nextAt - now);
  }

  /** Records that a send begins, and returns the number of the last outage. */
  begin(now: number): number {
    this.#inFlight += 1;
    this.#isPending = this.#intervalMs > 0;
    const rate = firstRate * 2 ** ((now - this.#recoveredAt) / doublingMs);
    const interval = rate > unlimitedRate ? 0 : 1000 / rate;
    this.#nextAt = Math.max(this.#nextAt, now - lagMs) + interval;
    return this.#outage;
  }

  /** Returns whether no outage has begun since this one. */
  isCurrent(outage: number): boolean {
    return outage === this.#outage;
  }

  /** Records that a send leaves: it may have waited for the rate limiter. */
  sent(now: number): void {
    if (!this.#isPending) return;
    const lag = this.#intervalMs < shortIntervalMs ? evenLagMs : 0;
    this.#nextAt = Math.max(this.#nextAt, now - lag) + this.#intervalMs;
    this.#isPending = false;
  }

  /** Records that nothing was sent after all. */
  cancel(): void {
    this.#inFlight -= 1;
    this.#isPending = false;
  }

  /**
   * Records that the service, or no answer from it, left the outcome of a send unknown. With `isAnnounced` it said
   * itself how long to wait (`Retry-After`), which the rate limiter enforces.
   */
  fail(at: number, isAnnounced: boolean): void {
    this.#inFlight -= 1;
    this.#failures += 1;
    const base = Math.min(20_000, 500 * 2 ** this.#failures);
    const wait = isAnnounced ? 0 : (base * (1 + this.#random())) / 2;
    this.#resumeAt = Math.max(this.#resumeAt, at + wait);
    this.#outage += 1;
    this.#isInTrouble = true;
  }

  /** Records that a send that began after this outage got an answer. */
  succeed(at: number, outage: number): void {
    this.#inFlight -= 1;
    this.#failures = 0;
    if (!this.#isInTrouble || outage !== this.#outage) return;
    this.#isInTrouble = false;
    this.#recoveredAt = at;
    this.#nextAt = at;
  }
}
