import { isOpenEnded } from "../../../rate-limiter/hold.ts";
import type { LimiterStatus } from "../../../rate-limiter/status.ts";
import { type RateWindow, rowsInLastWindow, limitedDuration } from "./forecast.ts";

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
