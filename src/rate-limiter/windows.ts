import type { ObservedLimits } from "./log/records.ts";

/** A reset further ahead than this, in ms, is ignored (rate-limits.md, How long). */
export const maxResetAheadMs = 25 * 60 * 60_000;

/** A window in which the service counts requests, as far as replies told of it. */
export interface Window {
  readonly limit: number;
  /** The fewest requests that were left in it. */
  readonly remaining: number;
  /** Its end by the service's clock, in ms since the epoch: what tells it from the next one. */
  readonly reset: number;
  /** When it is over for certain, in ms on the reader's timeline. */
  readonly endsBy: number;
}

/** Resets of one window may be this far apart, in ms, where they are told as whole seconds from now. */
const resetToleranceMs = 1000;
/** A service may count by the minute and by the day, and tells of one of them at a time. */
const mostWindows = 4;

/**
 * The windows after a reply that came at `at` told of one: a later window of the same limit takes
 * the place of the former, and of the same window the fewest remaining requests count, in whatever
 * order the replies came. Of a reply that does not tell its window's end only that counts.
 */
export function updateWindows(
  windows: readonly Window[],
  seen: ObservedLimits,
  at: number,
): Window[] {
  const live = windows.filter((window) => window.endsBy > at);
  const window = windowOf(seen, at);
  if (window === undefined) return live.map((known) => lowerRemaining(known, seen));
  const known = live.find(({ limit }) => limit === window.limit);
  const others = live.filter((other) => other !== known);
  const now = known === undefined ? window : mergeWindow(known, window);
  return [...others, now].slice(-mostWindows);
}

function windowOf(
  { limit, remaining, reset, endsIn }: ObservedLimits,
  at: number,
): Window | undefined {
  if (limit === undefined || remaining === undefined) return undefined;
  if (reset === undefined || endsIn === undefined) return undefined;
  return { limit, remaining, reset, endsBy: at + Math.min(endsIn, maxResetAheadMs) };
}

function lowerRemaining(known: Window, { limit, remaining, endsIn }: ObservedLimits): Window {
  if (limit !== known.limit || remaining === undefined || endsIn !== undefined) return known;
  return { ...known, remaining: Math.min(known.remaining, remaining) };
}

function mergeWindow(known: Window, told: Window): Window {
  if (told.reset > known.reset + resetToleranceMs) return told;
  if (told.reset < known.reset - resetToleranceMs) return known;
  const remaining = Math.min(known.remaining, told.remaining);
  // Where windows last a second, it may be the next one: then neither end may be taken for both.
  const endOf = told.reset === known.reset ? Math.min : Math.max;
  return { ...known, remaining, endsBy: endOf(known.endsBy, told.endsBy) };
}

/** Of the windows that last at `now` the one with the fewest requests left. */
export function mostConstrained(windows: readonly Window[], now: number): Window | undefined {
  let found: Window | undefined;
  for (const window of windows) {
    if (window.endsBy > now && (found === undefined || isTighter(window, found))) found = window;
  }
  return found;
}

function isTighter(a: Window, b: Window): boolean {
  return a.remaining === b.remaining ? a.endsBy > b.endsBy : a.remaining < b.remaining;
}
