import { isOpenEnded } from "../../../rate-limiter/decision.ts";
import type { LimiterStatus } from "../../../rate-limiter/status.ts";
import { limitedDuration, type RateWindow, rowsInLastWindow } from "./forecast.ts";

interface Sample {
  readonly at: number;
  readonly done: number;
}

/** How far back the rate looks, in ms: the length of the shortest window of the limits (api.md). */
const windowMs = 60_000;
/** How far apart what is remembered is, in ms. */
const betweenSamples = 1000;
/** Before this much time has passed, in ms, a rate says nothing. */
const minSampleMs = 1000;

/**
 * How fast rows end, over the last minute in which any could: the time is left out in which every
 * request was held up and none ended. Moments are monotonic, in ms.
 */
export class RateMeter {
  #samples: readonly Sample[];
  #last: Sample;
  #idle = 0;

  constructor(now: number) {
    this.#last = { at: now, done: 0 };
    this.#samples = [this.#last];
  }

  /**
   * Rows a second, when `done` rows have ended by `now`; undefined as long as nobody can say.
   * `isHeld` says whether requests are held up.
   */
  update(now: number, done: number, isHeld = false): number | undefined {
    if (isHeld && done === this.#last.done) this.#idle += now - this.#last.at;
    this.#last = { at: now, done };
    return this.#rateOf({ at: now - this.#idle, done });
  }

  #rateOf({ at, done }: Sample): number | undefined {
    const last = this.#samples.at(-1);
    if (last === undefined || at - last.at >= betweenSamples) {
      const all = [...this.#samples, { at, done }];
      // The newest that is old enough stays: a clock that is asked each 30 s may be a little late.
      const first = all.findLastIndex((sample) => at - sample.at >= windowMs);
      this.#samples = all.slice(Math.max(0, first));
    }
    const [first] = this.#samples;
    if (first === undefined || at - first.at < minSampleMs || done <= first.done) return undefined;
    return ((done - first.done) / (at - first.at)) * 1000;
  }
}

/** A rate for people, from rows a second: `250/s`, `4.1/s`, `58/min`, `12/h`. */
export function formatRate(rate: number): string {
  if (rate >= 10) return `${Math.round(rate).toLocaleString("en-US")}/s`;
  if (rate > 1.05) return `${rate.toFixed(1)}/s`;
  if (rate * 60 >= 1) return `${Math.round(rate * 60)}/min`;
  return `${Math.round(rate * 3600)}/h`;
}

/** What the time depends on that a run still takes. */
export interface EtaInput {
  /** How many rows are left. */
  readonly rows: number;
  /** Rows a second while none is held up. */
  readonly rate: number | undefined;
  readonly window: RateWindow | undefined;
  /** How long requests are held up from now on, in ms. */
  readonly heldMs: number;
}

/** How long, in ms, until all rows have ended; 0 where nobody can say. */
export function timeLeft({ rows, rate, window, heldMs }: EtaInput): number {
  const limited = window === undefined ? 0 : limitedDuration(window, rows);
  if (rate === undefined) return limited;
  const timeFor = (some: number): number => (some / rate) * 1000;
  // Those of the last window can be sent when it has begun.
  const last = window === undefined ? 0 : rowsInLastWindow(window, rows);
  return Math.max(limited + timeFor(last), heldMs + timeFor(rows));
}

/** How long, in ms, every request is held up that is to be sent now; 0 where none is. */
export function currentWaitMs({ hold }: LimiterStatus): number {
  return hold !== undefined && !isOpenEnded(hold) ? hold.ms : 0;
}

/**
 * The window that goes on at `now`, by the one that was told last: where that is over, and no reply
 * has told of the next one yet, one like it with all of its requests.
 */
export function projectWindow(last: RateWindow, now: number): RateWindow {
  const over = now - last.resetAt;
  if (over < 0) return { ...last, endsIn: -over };
  const endsIn = last.length - (over % last.length);
  return { ...last, remaining: last.limit, endsIn, resetAt: now + endsIn };
}
