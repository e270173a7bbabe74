import type { SeenLimits } from "./records.ts";

/**
 * A window in which the service counts requests, as far as replies told of it: the fewest requests
 * that were left, and the time between which it ends. Moments are ms on the timeline of the reader.
 */
export interface Window {
  readonly limit: number;
  readonly remaining: number;
  readonly endsFrom: number;
  readonly endsBy: number;
}

/** A service may count by the minute and by the day, and tells of one of them at a time. */
const mostWindows = 4;

/**
 * The windows after a reply that came at `at` told of one: a later window of the same limit takes
 * the place of the former, and of the same window the fewest remaining requests count, in whatever
 * order the replies came.
 */
export function seeWindow(windows: readonly Window[], seen: SeenLimits, at: number): Window[] {
  const live = windows.filter((window) => window.endsBy > at);
  const window = windowOf(seen, at);
  if (window === undefined) return live;
  const known = live.find(({ limit }) => limit === window.limit);
  const others = live.filter((other) => other !== known);
  const now = known === undefined ? window : join(known, window);
  return [...others, now].slice(-mostWindows);
}

function windowOf({ limit, remaining, endsIn }: SeenLimits, at: number): Window | undefined {
  if (limit === undefined || remaining === undefined || endsIn === undefined) return undefined;
  return { limit, remaining, endsFrom: at + endsIn.least, endsBy: at + endsIn.most };
}

function join(known: Window, told: Window): Window {
  if (told.endsFrom > known.endsBy) return told;
  if (told.endsBy < known.endsFrom) return known;
  return {
    limit: known.limit,
    remaining: Math.min(known.remaining, told.remaining),
    endsFrom: Math.max(known.endsFrom, told.endsFrom),
    endsBy: Math.min(known.endsBy, told.endsBy),
  };
}

/** Of the windows that last at `now` the one with the fewest requests left. */
export function tightest(windows: readonly Window[], now: number): Window | undefined {
  const live = windows.filter(({ endsBy }) => endsBy > now);
  return live.sort((a, b) => a.remaining - b.remaining || b.endsBy - a.endsBy)[0];
}
