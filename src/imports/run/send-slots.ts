import type { Clock } from "../../platform/io.ts";

/** Rows per second from the success on that ends a series of failures. */
const firstRate = 20;
/** The rate doubles in this time while nothing goes wrong; from an interval of `minIntervalMs` on it has no limit. */
const doublingMs = 2000;
const minIntervalMs = 1;
/** After a short interval sends may catch up such a lag: timers fire late. */
const lagMs = 5;
const shortIntervalMs = 20;

export interface SlotOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** The least time between two sends; 0 by default. */
  readonly intervalMs?: number | undefined;
  readonly random: () => number;
  /** Waits, and shows it if the service fails; rejects when the run is stopped. */
  readonly wait: (ms: number, isFailing: boolean) => Promise<void>;
  /** Whether the service has announced a back-off, which the rate limiter enforces. */
  readonly isBackoffAnnounced: () => boolean;
}

/** The right to send one row, given after so many outages. */
export interface SendSlot {
  readonly outage: number;
}

/**
 * Gives the workers of a run their slots to send: at once, evenly (`--rate`), or slowed down by failures (`help import`).
 * After `n` bad ends in a row nothing is sent for equal jitter over min(20 s, 0.5 s · 2^n), then one row at a time until
 * one succeeds. From then on the rate grows: at full speed, a limit that is not announced would be hit again at once.
 */
export class SendSlots {
  readonly #options: SlotOptions;
  #last: Promise<unknown> = Promise.resolve();
  /** A slot ends, or its row leaves. */
  #change = Promise.withResolvers<void>();
  /** In a row. */
  #failures = 0;
  /** How many failures in all. A send that began before the last one does not show whether they have ended. */
  #outage = 0;
  #isFailing = false;
  #inFlight = 0;
  /** The slot whose row has to leave before the interval of the next begins. */
  #leaving: SendSlot | undefined;
  #nextAt = Number.NEGATIVE_INFINITY;
  #recoveredAt = Number.NEGATIVE_INFINITY;

  constructor(options: SlotOptions) {
    this.#options = options;
  }

  /** Resolves when the next send may begin, in the order of the calls. */
  next(): Promise<SendSlot> {
    const slot = this.#last.then(async () => {
      await this.#wait();
      return this.begin();
    });
    this.#last = slot.catch(() => {});
    return slot;
  }

  /** Waits until the row of a slot may leave once more, unless the slot has ended before. */
  async again(slot: SendSlot): Promise<void> {
    await this.#wait(slot);
    if (this.isCurrent(slot) && this.#intervalMs() > 0) this.#leaving = slot;
  }

  async #wait(slot?: SendSlot): Promise<void> {
    for (let ms = this.delay(slot); ms > 0; ms = this.delay(slot)) {
      if (Number.isFinite(ms)) await this.#options.wait(ms, this.#isFailing);
      else await this.#change.promise;
    }
  }

  /** Returns the wait of a slot, or of the next one, in ms; Infinity until another one leaves or ends. */
  delay(slot?: SendSlot): number {
    if (slot !== undefined && (slot === this.#leaving || !this.isCurrent(slot))) return 0;
    const others = slot === undefined ? this.#inFlight : this.#inFlight - 1;
    if (this.#leaving !== undefined || (this.#isFailing && others > 0))
      return Number.POSITIVE_INFINITY;
    return Math.max(0, this.#nextAt - this.#options.clock.monotonic());
  }

  begin(): SendSlot {
    const slot = { outage: this.#outage };
    if (this.#intervalMs() > 0) this.#leaving = slot;
    this.#inFlight += 1;
    return slot;
  }

  /** Returns whether nothing went wrong since a slot began. */
  isCurrent({ outage }: SendSlot): boolean {
    return outage === this.#outage;
  }

  /** The row of a slot leaves now: it may have waited for the rate limiter. */
  leave(slot: SendSlot): void {
    if (slot === this.#leaving) {
      const ms = this.#intervalMs();
      const lag = ms < shortIntervalMs ? lagMs : 0;
      this.#nextAt = Math.max(this.#nextAt, this.#options.clock.monotonic() - lag) + ms;
    }
    this.#free(slot);
  }

  /** Ends a slot in which nothing was sent. */
  cancel(slot: SendSlot): void {
    this.#inFlight -= 1;
    this.#free(slot);
  }

  /** Ends a slot after a send; `isFailure`: its outcome is unknown. */
  end(slot: SendSlot, isFailure: boolean): void {
    const { clock, random, isBackoffAnnounced } = this.#options;
    this.cancel(slot);
    if (isFailure) {
      this.#failures += 1;
      this.#outage += 1;
      this.#isFailing = true;
      const base = Math.min(20_000, 500 * 2 ** this.#failures);
      const wait = isBackoffAnnounced() ? 0 : (base * (1 + random())) / 2;
      this.#nextAt = Math.max(this.#nextAt, clock.monotonic() + wait);
      return;
    }
    this.#failures = 0;
    if (this.#isFailing && this.isCurrent(slot)) {
      this.#isFailing = false;
      this.#recoveredAt = clock.monotonic();
    }
  }

  #intervalMs(): number {
    const { clock, intervalMs = 0 } = this.#options;
    const doublings = (clock.monotonic() - this.#recoveredAt) / doublingMs;
    const recoveryMs = 1000 / (firstRate * 2 ** doublings);
    return Math.max(intervalMs, recoveryMs < minIntervalMs ? 0 : recoveryMs);
  }

  #free(slot: SendSlot): void {
    if (slot === this.#leaving) this.#leaving = undefined;
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
  }
}
