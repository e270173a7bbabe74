import type { Clock } from "../../platform/io.ts";
import { Slowdown } from "./slowdown.ts";

/** What the turns of a run need. */
export interface TurnOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** The least time between two sends, in ms; 0 by default. */
  readonly intervalMs?: number | undefined;
  /** Returns a random number from 0 up to 1. */
  readonly random: () => number;
  /** Waits, and shows it if the service is in trouble; rejects when the run is stopped. */
  readonly wait: (ms: number, isInTrouble: boolean) => Promise<void>;
  /** Returns whether the service has announced how long nobody may send. */
  readonly isBackoffAnnounced: () => boolean;
}

/** The right to send one row. */
export interface Turn {
  /** Returns whether it is still valid: nothing went wrong since it was given. */
  isCurrent(): boolean;
  /** Records that its row leaves now. */
  sent(): void;
  /** Ends it after a send; `isTrouble`: the service, or no answer from it, left the outcome unknown. */
  end(isTrouble: boolean): void;
  /** Ends it, as nothing was sent. */
  cancel(): void;
}

/** Gives the workers of a run their turns to send: at once, evenly, or slowed down by trouble. */
export class Turns {
  readonly #options: TurnOptions;
  readonly #slowdown: Slowdown;
  #last: Promise<unknown> = Promise.resolve();
  #change = Promise.withResolvers<void>();

  constructor(options: TurnOptions) {
    this.#options = options;
    this.#slowdown = new Slowdown(options.random, options.intervalMs);
  }

  /** Returns a turn as soon as the next send may begin; in the order of the calls. */
  next(): Promise<Turn> {
    const turn = this.#last.then(() => this.#take());
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #take(): Promise<Turn> {
    for (;;) {
      const ms = this.#slowdown.delay(this.#now());
      if (ms === 0) return this.#begin();
      if (Number.isFinite(ms)) await this.#options.wait(ms, this.#slowdown.isInTrouble);
      else await this.#change.promise;
    }
  }

  #begin(): Turn {
    const slowdown = this.#slowdown;
    const outage = slowdown.begin(this.#now());
    let hasLeft = false;
    const leave = (): void => {
      if (!hasLeft) slowdown.sent(this.#now());
      hasLeft = true;
      this.#wake();
    };
    return {
      isCurrent: () => slowdown.isCurrent(outage),
      sent: leave,
      end: (isTrouble) => {
        if (isTrouble) slowdown.fail(this.#now(), this.#options.isBackoffAnnounced());
        else slowdown.succeed(this.#now(), outage);
        leave();
      },
      cancel: () => {
        slowdown.cancel();
        this.#wake();
      },
    };
  }

  #wake(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }
}
