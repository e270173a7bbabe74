import type { QuotaWindow } from "./windows.ts";

/** The part of a window that a bulk run leaves to other commands (`help rate-limits`). */
const share = 0.05;
/** With a lower limit, nothing is left to other commands. */
const leastLimit = 20;
/** In this time before the end of a window, in ms, a bulk run uses what nobody has used. */
const releaseMs = 2000;
const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
/** How much the end of a window may seem to exceed its length, in ms: resets are in whole seconds. */
const lengthToleranceMs = 2000;

/** The part of a window that a bulk run must not use now, and until when. */
export interface Reserve {
  readonly requests: number;
  /** When the bulk run may use one of the free requests, in ms on the reader's timeline. */
  readonly until: number;
}

/** What a bulk run would send. */
export interface BulkDemand {
  readonly now: number;
  /** How many requests it still has to send. */
  readonly rowsLeft: number;
  /** How many requests of the window are neither used nor in flight. */
  readonly free: number;
  /** The part of every window that it must leave, from 0 to 90 (`--reserve`). */
  readonly reservePercent?: number;
}

/** Returns what a bulk run leaves of `window` (`help bulk`, `help rate-limits`); undefined if nothing. */
export function reserveOf(window: QuotaWindow, demand: BulkDemand): Reserve | undefined {
  const fair = fairReserveOf(window, demand);
  const requests = Math.ceil((window.limit * (demand.reservePercent ?? 0)) / 100);
  if (requests === 0 || requests < (fair?.requests ?? 0)) return fair;
  return { requests, until: window.endsAt };
}

function fairReserveOf(
  window: QuotaWindow,
  { now, rowsLeft, free }: BulkDemand,
): Reserve | undefined {
  const { limit, endsAt } = window;
  if (rowsLeft <= free || isLong(window, now)) return undefined;
  const requests = shareOf(limit);
  const until = endsAt - releaseMs;
  return requests > 0 && until > now ? { requests, until } : undefined;
}

/** Returns the share of other commands in a window with this limit. */
export function shareOf(limit: number): number {
  return limit < leastLimit ? 0 : Math.ceil(limit * share);
}

/**
 * Returns whether a window is longer than an hour. Only the rest of its length is known, but windows of a
 * day end at midnight UTC: one that ends there counts as one, except in its last minute.
 */
function isLong({ endsAt, reset }: QuotaWindow, now: number): boolean {
  const endsIn = endsAt - now;
  if (endsIn > hourMs + lengthToleranceMs) return true;
  return reset % dayMs === 0 && endsIn > 60_000 + lengthToleranceMs;
}
