import type { QuotaWindow } from "./windows.ts";

/** The part of a window that an import leaves to other commands (`help rate-limits`). */
const share = 0.05;
/** With a lower limit, nothing is left to other commands. */
const minLimit = 20;
/** In this time before the end of a window, in ms, an import uses what is left. */
const releaseMs = 2000;
const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
/** How much the end of a window may seem to exceed its length, in ms: resets are in whole seconds. */
const lengthToleranceMs = 2000;

interface ImportDemand {
  readonly now: number;
  readonly rowsLeft: number;
  /** How many requests of the window are neither used nor in flight. */
  readonly free: number;
  /** The part of every window that it must leave, from 0 to 90 (`--reserve`). */
  readonly reservePercent?: number;
}

/** Returns how many requests of `window` an import leaves to others, and until when; undefined if none. */
export function reserveOf(
  window: QuotaWindow,
  { now, rowsLeft, free, reservePercent = 0 }: ImportDemand,
) {
  const { limit, endsAt } = window;
  const releasedAt = endsAt - releaseMs;
  const isFair = rowsLeft > free && releasedAt > now && !isLong(window, now);
  const fair = isFair ? shareOf(limit) : 0;
  const own = Math.ceil((limit * reservePercent) / 100);
  if (own > 0 && own >= fair) return { requests: own, until: endsAt };
  return fair > 0 ? { requests: fair, until: releasedAt } : undefined;
}

/** Returns the share of other commands in a window with this limit. */
function shareOf(limit: number): number {
  return limit < minLimit ? 0 : Math.ceil(limit * share);
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
