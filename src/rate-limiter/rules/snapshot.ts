import type { LimiterEvent, LogRecord, Timestamp } from "./records.ts";
import type { Backoff, LimiterState, Permit } from "./state.ts";
import type { QuotaWindow } from "./windows.ts";

/** Earlier permits count as sent: many processes may write a snapshot at once. */
const maxSnapshotPermits = 100;

/** Returns the records that recreate `state`, with which the next segment begins (log compaction). */
export function snapshotRecords(state: LimiterState, now: Timestamp): readonly LogRecord[] {
  const record = (at: number, event: LimiterEvent): LogRecord => ({
    stamp: { boot: now.boot, uptime: at, wall: now.wall - (now.uptime - at) },
    event,
  });
  const permitRecords = ({ id, pid, at, aliveAt, expiresAt, probe }: Permit) => [
    record(at, { kind: probe ? "probe" : "reserve", id, pid, lifeMs: expiresAt - at }),
    ...(aliveAt > at ? [record(aliveAt, { kind: "alive", id })] : []),
  ];
  const { backoff, lastObserved, strikes, windows, uncounted } = state;
  const all = [...state.permits.values()];
  const permits = all.slice(-maxSnapshotPermits);
  const dropped = all.length - permits.length;
  const count = uncounted.count + dropped;
  const countedAt = dropped > 0 ? now.uptime : uncounted.at;
  const seenAt = lastObserved?.at ?? now.uptime;
  return [
    ...windows.map((window) => record(seenAt, limitsOf(window, seenAt))),
    ...(lastObserved ? [record(seenAt, { kind: "limits", ...lastObserved })] : []),
    ...(count > 0 ? [record(countedAt, { kind: "uncounted", count })] : []),
    ...permits.filter(({ afterBackoff }) => !afterBackoff).flatMap(permitRecords),
    ...(backoff ? [record(now.uptime, blockOf(backoff, strikes, now.uptime))] : []),
    ...permits.filter(({ afterBackoff }) => afterBackoff).flatMap(permitRecords),
  ];
}

function blockOf({ until, status }: Backoff, strikes: number, now: number): LimiterEvent {
  return { kind: "block", status, waitMs: Math.max(0, until - now), strikes };
}

function limitsOf({ endsAt, ...window }: QuotaWindow, now: number): LimiterEvent {
  return { kind: "limits", ...window, endsIn: Math.max(0, endsAt - now) };
}

/** How much the times of the same event may differ between two logs, in ms: a round trip is between them. */
const sameTimeMs = 1000;

/** Returns what `source` knows at `now` and `target` does not: states of a key on one timeline, from separate logs. */
export function newsFor(
  target: LimiterState,
  { windows, backoff, strikes }: LimiterState,
  now: number,
): readonly LimiterEvent[] {
  const news = windows.filter((window) => window.endsAt > now && !isKnown(target.windows, window));
  const limits = news.map((window) => limitsOf(window, now));
  if (backoff === undefined || backoff.until <= now) return limits;
  const known = target.backoff?.until ?? 0;
  const isNews = known <= now || known + sameTimeMs < backoff.until;
  return isNews ? [...limits, blockOf(backoff, strikes, now)] : limits;
}

function isKnown(windows: readonly QuotaWindow[], { limit, remaining, reset }: QuotaWindow) {
  return windows.some(
    (known) =>
      known.limit === limit &&
      (known.reset > reset + sameTimeMs ||
        (known.reset >= reset - sameTimeMs && known.remaining <= remaining)),
  );
}
