import type { LimiterEvent } from "./records.ts";
import { blockOf } from "./snapshot.ts";
import type { LimiterState } from "./state.ts";
import type { QuotaWindow } from "./windows.ts";

/** How much the times of the same event may differ between two logs, in ms: a round trip is between them. */
const sameTimeMs = 1000;

/**
 * Returns what `source` knows and `target` does not, at `now`: two states of the same key on the same
 * timeline, from separate logs.
 */
export function newsFor(
  target: LimiterState,
  source: LimiterState,
  now: number,
): readonly LimiterEvent[] {
  const limits = source.windows
    .filter((window) => window.endsAt > now && !isKnown(target.windows, window))
    .map(({ limit, remaining, reset, endsAt }): LimiterEvent => {
      const endsIn = endsAt - now;
      return { kind: "limits", limits: { limit, remaining, reset, endsIn } };
    });
  return [...limits, ...backoffNews(target, source, now)];
}

function isKnown(windows: readonly QuotaWindow[], { limit, remaining, reset }: QuotaWindow) {
  return windows.some(
    (known) =>
      known.limit === limit &&
      (known.reset > reset + sameTimeMs ||
        (known.reset >= reset - sameTimeMs && known.remaining <= remaining)),
  );
}

function backoffNews(
  { backoff: known }: LimiterState,
  { backoff, strikes }: LimiterState,
  now: number,
): readonly LimiterEvent[] {
  if (backoff === undefined || backoff.until <= now) return [];
  const knownUntil = known !== undefined && known.until > now ? known.until : 0;
  return knownUntil + sameTimeMs < backoff.until ? [blockOf(backoff, strikes, now)] : [];
}
