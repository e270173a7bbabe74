import { isOpenEnded } from "../../../rate-limiter/rules/decision.ts";
import { shareOf } from "../../../rate-limiter/rules/fair-share.ts";
import type { LimiterStatus } from "../../../rate-limiter/rules/status.ts";
import { formatCount } from "../../../core/format.ts";
import { limitedDuration, type RateWindow, rowsInLastWindow } from "./forecast.ts";

const hourMs = 60 * 60_000;

interface Sample {
  readonly at: number;
  readonly done: number;
}

/** The period over which the rate is measured, in ms: the shortest window of the limits. */
const windowMs = 60_000;
/** Minimum time between two samples, in ms. */
const sampleIntervalMs = 1000;
/** Minimum time over which a rate is measured, in ms. */
const minSampleMs = 1000;

/**
 * Measures how fast rows end, over the last minute. Time in which every request waited and no row
 * ended does not count. Times are monotonic, in ms.
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
   * Records that `done` rows have ended at `now`, and returns the rows a second; undefined until that
   * is known. `isHeld` means that every request has to wait.
   */
  update(now: number, done: number, isHeld = false): number | undefined {
    if (isHeld && done === this.#last.done) this.#idle += now - this.#last.at;
    this.#last = { at: now, done };
    return this.#rateOf({ at: now - this.#idle, done });
  }

  #rateOf({ at, done }: Sample): number | undefined {
    const last = this.#samples.at(-1);
    if (last === undefined || at - last.at >= sampleIntervalMs) {
      const all = [...this.#samples, { at, done }];
      // Keep the newest sample that is old enough: with one every 30 s, a sample may be a little late.
      const first = all.findLastIndex((sample) => at - sample.at >= windowMs);
      this.#samples = all.slice(Math.max(0, first));
    }
    const [first] = this.#samples;
    if (first === undefined || at - first.at < minSampleMs || done <= first.done) return undefined;
    return ((done - first.done) / (at - first.at)) * 1000;
  }
}

/** Formats a rate for people, from rows a second: `250/s`, `4.1/s`, `58/min`, `12/h`. */
export function formatRate(rate: number): string {
  if (rate >= 10) return `${formatCount(Math.round(rate))}/s`;
  if (rate > 1.05) return `${rate.toFixed(1)}/s`;
  if (rate * 60 >= 1) return `${Math.round(rate * 60)}/min`;
  return `${Math.round(rate * 3600)}/h`;
}

/** What the time left depends on. */
export interface EtaInput {
  /** How many rows are left. */
  readonly rows: number;
  /** Rows a second while nothing has to wait. */
  readonly rate: number | undefined;
  readonly window: RateWindow | undefined;
  /** How long every request has to wait from now on, in ms. */
  readonly heldMs: number;
}

/** Returns the time until all rows have ended, in ms; 0 if unknown. */
export function timeLeft({ rows, rate, window, heldMs }: EtaInput): number {
  const limited = window === undefined ? 0 : limitedDuration(window, rows);
  if (rate === undefined) return limited;
  const timeFor = (some: number): number => (some / rate) * 1000;
  // The rows of the last window are sent after it has begun.
  const last = window === undefined ? 0 : rowsInLastWindow(window, rows);
  return Math.max(limited + timeFor(last), heldMs + timeFor(rows));
}

/**
 * Returns how many of `rows` are sent when a wait for the limit is over (`help rate-limits`);
 * undefined if that is unknown.
 */
export function rowsAfterWait(
  { condition }: LimiterStatus,
  window: RateWindow | undefined,
  rows: number,
): number | undefined {
  if (condition?.reason !== "used_up") return undefined;
  const { limit, reserved } = condition;
  if (reserved !== undefined) return Math.min(reserved, rows);
  if (window === undefined || window.limit !== limit) return undefined;
  return rows <= limit ? rows : limit - (window.length > hourMs ? 0 : shareOf(limit));
}

/** Returns how long a request sent now would have to wait, in ms; 0 if it would not, or it is open-ended. */
export function currentWaitMs({ condition }: LimiterStatus): number {
  return condition !== undefined && !isOpenEnded(condition) ? condition.ms : 0;
}

/**
 * Returns the window that is current at `now`, from the last one that a reply announced. If that one
 * is over, the next one is assumed to be the same, with all of its requests left.
 */
export function projectWindow(last: RateWindow, now: number): RateWindow {
  const over = now - last.resetAt;
  if (over < 0) return { ...last, endsIn: -over };
  const endsIn = last.length - (over % last.length);
  return { ...last, remaining: last.limit, endsIn, resetAt: now + endsIn };
}
