/** How a send ended, and when; times are monotonic, in ms. */
interface SendEnd {
  readonly at: number;
  /** What `begin` returned for it. */
  readonly episode: number;
  /** Whether the service, or no answer from it, left the outcome unknown. */
  readonly isTrouble: boolean;
  /** Whether it announced a wait itself (`Retry-After`), which the rate limiter enforces. */
  readonly isAnnounced: boolean;
}

/** How many rows a second are sent after the first trouble; also the minimum. */
const firstRate = 20;
const leastRate = 10;
/** The rate doubles in this time, in ms, while nothing goes wrong. */
const doublingMs = 10_000;
/** A rate above this counts as unlimited. */
const unlimitedRate = 2000;

/**
 * Decides when the next row may be sent while a service is in trouble (contract.md, Bulk, Sending): after
 * `n` bad ends in a row it waits for equal jitter over min(20 s, 0.5 s · 2^n), and then sends one row at a
 * time until one succeeds. After that rows are sent at a limited rate, which is halved at the next trouble:
 * at full speed, a service that limits requests without announcing it would fail again at once.
 */
export class Slowdown {
  readonly #random: () => number;
  /** How many sends in a row ended badly. */
  #failures = 0;
  /** The number of the current trouble; a send that began before it does not show whether it is over. */
  #episode = 0;
  #isInTrouble = false;
  #inFlight = 0;
  #resumeAt = Number.NEGATIVE_INFINITY;
  /** Rows a second at `#rateSince`. */
  #rate = Number.POSITIVE_INFINITY;
  #rateSince = 0;
  #nextAt = Number.NEGATIVE_INFINITY;

  /** `random` returns a number from 0 up to 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Returns how long the next send has to wait at `now`, in ms; Infinity until one in flight ends. */
  delay(now: number): number {
    if (this.#isInTrouble && this.#inFlight > 0) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.#resumeAt - now, this.#nextAt - now);
  }

  /** Records that a send begins, and returns its episode. */
  begin(now: number): number {
    this.#inFlight += 1;
    const rate = this.#rateAt(now);
    this.#nextAt = Number.isFinite(rate) ? now + 1000 / rate : Number.NEGATIVE_INFINITY;
    return this.#episode;
  }

  /** Returns whether nothing went wrong since a send of this episode began. */
  isCurrent(episode: number): boolean {
    return episode === this.#episode;
  }

  /** Records that nothing was sent after all. */
  cancel(): void {
    this.#inFlight -= 1;
  }

  /** Records how a send ended. */
  end({ at, episode, isTrouble, isAnnounced }: SendEnd): void {
    this.#inFlight -= 1;
    if (isTrouble) this.#fail(at, isAnnounced);
    else this.#succeed(at, episode);
  }

  #fail(at: number, isAnnounced: boolean): void {
    this.#failures += 1;
    const base = Math.min(20_000, 500 * 2 ** this.#failures);
    const wait = isAnnounced ? 0 : (base * (1 + this.#random())) / 2;
    this.#resumeAt = Math.max(this.#resumeAt, at + wait);
    this.#episode += 1;
    if (this.#isInTrouble) return;
    this.#isInTrouble = true;
    const rate = this.#rateAt(at);
    this.#rate = Number.isFinite(rate) ? Math.max(leastRate, rate / 2) : firstRate;
    this.#rateSince = Number.POSITIVE_INFINITY;
  }

  #succeed(at: number, episode: number): void {
    this.#failures = 0;
    if (!this.#isInTrouble || episode !== this.#episode) return;
    this.#isInTrouble = false;
    this.#rateSince = at;
  }

  #rateAt(now: number): number {
    const rate = this.#rate * 2 ** (Math.max(0, now - this.#rateSince) / doublingMs);
    return rate > unlimitedRate ? Number.POSITIVE_INFINITY : rate;
  }
}
