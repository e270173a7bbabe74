import type { Clock } from "../../platform/io.ts";
import { EvenPace } from "./even-pace.ts";
import { Slowdown } from "./slowdown.ts";

/** What the turns of a run need. */
export interface TurnOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** The least time between two sends, in ms; 0 by default. */
  readonly intervalMs?: number;
  /** Returns a random number from 0 up to 1. */
  readonly random: () => number;
  /** Waits while the service is in trouble, and shows it; rejects when the run is stopped. */
  readonly wait: (ms: number) => Promise<void>;
  /** Waits for the next send of an even pace; rejects likewise. */
  readonly pause?: (ms: number) => Promise<void>;
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

/** Gives the workers of a run their turns to send: at once, or slowed down while the service is in trouble. */
export class Turns {
  readonly #options: TurnOptions;
  readonly #slowdown: Slowdown;
  readonly #pace: EvenPace;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #ended = Promise.withResolvers<void>();

  constructor(options: TurnOptions) {
    this.#options = options;
    this.#slowdown = new Slowdown(options.random);
    this.#pace = new EvenPace(options.intervalMs ?? 0);
  }

  /** Returns a turn if a send may begin now. */
  tryNext(): Turn | undefined {
    if (this.#waiting > 0) return undefined;
    const now = this.#options.clock.monotonic();
    const isFree = this.#slowdown.delay(now) === 0 && this.#pace.delay(now) === 0;
    return isFree ? this.#begin() : undefined;
  }

  /** Returns a turn as soon as the next send may begin; in the order of the calls. */
  async next(): Promise<Turn> {
    this.#waiting += 1;
    const turn = this.#last.then(() => this.#take());
    this.#last = turn.catch(() => {});
    return turn.finally(() => (this.#waiting -= 1));
  }

  async #take(): Promise<Turn> {
    const { clock, wait, pause = wait } = this.#options;
    for (;;) {
      const now = clock.monotonic();
      const [slowMs, paceMs] = [this.#slowdown.delay(now), this.#pace.delay(now)];
      const ms = Math.max(slowMs, paceMs);
      if (ms === 0) return this.#begin();
      if (!Number.isFinite(ms)) await this.#ended.promise;
      else if (slowMs > 0) await wait(slowMs);
      else await pause(paceMs);
    }
  }

  #begin(): Turn {
    const { clock, isBackoffAnnounced } = this.#options;
    const [slowdown, pace] = [this.#slowdown, this.#pace];
    pace.begin();
    const episode = slowdown.begin(clock.monotonic());
    return {
      isCurrent: () => slowdown.isCurrent(episode),
      sent: () => {
        pace.sent(clock.monotonic());
        this.#wake();
      },
      end: (isTrouble) => {
        const isAnnounced = isTrouble && isBackoffAnnounced();
        slowdown.end({ at: clock.monotonic(), episode, isTrouble, isAnnounced });
        this.#wake();
      },
      cancel: () => {
        slowdown.cancel();
        pace.cancel();
        this.#wake();
      },
    };
  }

  #wake(): void {
    this.#ended.resolve();
    this.#ended = Promise.withResolvers<void>();
  }
}
