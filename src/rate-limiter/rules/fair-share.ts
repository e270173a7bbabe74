import type { QuotaWindow } from "./windows.ts";

/** The part of a window that an import leaves to other commands, unless its limit is lower (`help rate-limits`). */
const share = 0.05;
const minLimit = 20;
/** In this time before the end of a window an import uses what is left. */
const releaseMs = 2000;
const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
/** How much the end of a window may seem to exceed its length: resets are in whole seconds. */
const lengthToleranceMs = 2000;

/** Returns how many requests of `window`, of which `free` are left, an import leaves to others, and until when, if any. */
export function reserveOf(
  window: QuotaWindow,
  now: number,
  free: number,
  { rowsLeft, reservePercent = 0 }: { readonly rowsLeft: number; readonly reservePercent?: number },
) {
  const { limit, endsAt } = window;
  const releasedAt = endsAt - releaseMs;
  const isShared = limit >= minLimit && rowsLeft > free && releasedAt > now && !isLong(window, now);
  const fair = isShared ? Math.ceil(limit * share) : 0;
  const own = Math.ceil((limit * reservePercent) / 100);
  if (own > 0 && own >= fair) return { requests: own, until: endsAt };
  return fair > 0 ? { requests: fair, until: releasedAt } : undefined;
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
