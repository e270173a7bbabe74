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
    ...blocksOf(backoff, strikes, now.uptime).map((block) => record(now.uptime, block)),
    ...permits.filter(({ afterBackoff }) => afterBackoff).flatMap(permitRecords),
  ];
}

/** Returns the events of a back-off: also of the wait that a 429 asked for, if a 503 asked for a longer one. */
function blocksOf(backoff: Backoff | undefined, strikes: number, now: number) {
  if (backoff === undefined) return [];
  const { until, status, bannedUntil } = backoff;
  const block = (asked: number, end: number) => {
    return { kind: "block", status: asked, waitMs: Math.max(0, end - now), strikes } as const;
  };
  const isMixed = status !== 429 && bannedUntil > now;
  return [...(isMixed ? [block(429, bannedUntil)] : []), block(status, until)];
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
  const { until = 0, bannedUntil = 0 } = target.backoff ?? {};
  const blocks = blocksOf(backoff, strikes, now).filter(({ status, waitMs }) => {
    const known = status === 429 ? bannedUntil : until;
    return waitMs > 0 && (known <= now || known + sameTimeMs < now + waitMs);
  });
  return [...limits, ...blocks];
}

function isKnown(windows: readonly QuotaWindow[], { limit, remaining, reset }: QuotaWindow) {
  return windows.some(
    (known) =>
      known.limit === limit &&
      (known.reset > reset + sameTimeMs ||
        (known.reset >= reset - sameTimeMs && known.remaining <= remaining)),
  );
}
