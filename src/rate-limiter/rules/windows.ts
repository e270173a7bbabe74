import type { ObservedLimits } from "./records.ts";

/** How far ahead a window may end: others may write to a shared log. */
const maxAheadMs = 24 * 60 * 60_000;
/** Resets of one window differ by up to this when announced as whole seconds from now. */
const sameResetMs = 1000;
/** A service may count by the minute and by the day, and announces one of them at a time. */
const maxWindows = 4;

/** A window in which the service counts requests, as replies announced it. */
export interface QuotaWindow {
  readonly limit: number;
  /** The lowest number of remaining requests that a reply announced. */
  readonly remaining: number;
  /** Its end by the service's clock, in ms since the epoch; it identifies the window. */
  readonly reset: number;
  /** When it has certainly ended, in ms on the reader's timeline. */
  readonly endsAt: number;
  /** How long the windows of its limit are at most, in ms, once a second one was announced. */
  readonly length?: number;
}

/**
 * Returns the windows after a reply at `at`: a later window replaces the earlier one of its limit, and the lowest number of
 * remaining requests counts, which is all that a reply without a reset can change.
 */
export function updateWindows(
  windows: readonly QuotaWindow[],
  announced: ObservedLimits & { readonly length?: number | undefined },
  at: number,
): readonly QuotaWindow[] {
  const { limit, remaining, reset, endsIn, length } = announced;
  const live = windows.filter(({ endsAt }) => endsAt > at);
  if (limit === undefined || remaining === undefined) return live;
  if (reset === undefined || endsIn === undefined) {
    const lowered = (window: QuotaWindow): QuotaWindow => ({
      ...window,
      remaining: window.limit === limit ? Math.min(window.remaining, remaining) : window.remaining,
    });
    return endsIn === undefined ? live.map(lowered) : live;
  }
  const last = windows.find((window) => window.limit === limit);
  const isNext = last !== undefined && reset > last.reset + sameResetMs;
  const seen = isNext ? Math.min(last.length ?? Infinity, reset - last.reset) : length;
  const window: QuotaWindow = {
    limit,
    remaining,
    reset,
    endsAt: at + Math.min(endsIn, maxAheadMs),
    ...(seen !== undefined && { length: seen }),
  };
  const others = live.filter((other) => other !== last);
  const merged = last !== undefined && last.endsAt > at ? mergeWindow(last, window) : window;
  return [...others, merged].slice(-maxWindows);
}

function mergeWindow(known: QuotaWindow, announced: QuotaWindow): QuotaWindow {
  if (announced.reset > known.reset + sameResetMs) return announced;
  if (announced.reset < known.reset - sameResetMs) return known;
  const remaining = Math.min(known.remaining, announced.remaining);
  // With windows of a second it may be the next one: then the earlier end must not count for both.
  const endOf = announced.reset === known.reset ? Math.min : Math.max;
  return { ...known, remaining, endsAt: endOf(known.endsAt, announced.endsAt) };
}

/** Returns the window that is current at `now` and has the fewest remaining requests; of several, the one that ends last. */
export function mostConstrained(
  windows: readonly QuotaWindow[],
  now: number,
): QuotaWindow | undefined {
  const live = windows.filter(({ endsAt }) => endsAt > now);
  return live.sort((a, b) => a.remaining - b.remaining || b.endsAt - a.endsAt)[0];
}
