import type { QuotaWindow } from "./windows.ts";

/** The part of a window that a bulk run leaves to other commands (rate-limits.md, Fair share). */
const share = 0.05;
/** Nothing is left where the limit is lower. */
const leastLimit = 20;
/** How long before the end of a window, in ms, a bulk run takes what nobody has used. */
const releaseMs = 2000;
const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
/** How much further away than its length the end of a window may seem: resets are in whole seconds. */
const resetToleranceMs = 2000;

/** What a bulk run may not use of a window, and until when. */
export interface Reserve {
  readonly requests: number;
  /** When the bulk run may use them too, in ms on the reader's timeline. */
  readonly until: number;
}

/**
 * Returns what a bulk run leaves of `window` to other commands at `now` (rate-limits.md, Fair share);
 * undefined if nothing. `rowsLeft` is how many requests it still has to send, `free` how many are neither
 * sent nor on their way.
 */
export function reserveOf(
  window: QuotaWindow,
  {
    now,
    rowsLeft,
    free,
  }: { readonly now: number; readonly rowsLeft: number; readonly free: number },
): Reserve | undefined {
  const { limit, endsAt } = window;
  const until = endsAt - releaseMs;
  if (now >= until || rowsLeft <= free || isLong(window, now)) return undefined;
  const requests = shareOf(limit);
  return requests === 0 ? undefined : { requests, until };
}

/** Returns the share of other commands in a window with this limit. */
export function shareOf(limit: number): number {
  return limit < leastLimit ? 0 : Math.ceil(limit * share);
}

/**
 * Whether a window is longer than an hour. Of its length only what is left of it is known; but windows
 * of a day end at midnight (api.md, Request rate), and so one that ends there is taken for one, except in
 * its last minute.
 */
function isLong({ endsAt, reset }: QuotaWindow, now: number): boolean {
  const endsIn = endsAt - now;
  if (endsIn > hourMs + resetToleranceMs) return true;
  return reset % dayMs === 0 && endsIn > 60_000 + resetToleranceMs;
}
