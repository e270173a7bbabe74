import { type LimiterEvent, type LogRecord, type Timestamp, timestampAt } from "./records.ts";
import type { Backoff, LimiterState, Permit } from "./state.ts";

/**
 * The maximum number of permits in a snapshot, to keep it short: many processes may write one at once.
 * The requests of earlier permits count as sent.
 */
const maxSnapshotPermits = 100;

/** Returns the records that recreate `state`, with which the next segment begins (log compaction). */
export function snapshotRecords(state: LimiterState, now: Timestamp): readonly LogRecord[] {
  const record = (at: number, event: LimiterEvent): LogRecord => ({
    stamp: timestampAt(at, now),
    event,
  });
  const permitRecords = ({ id, pid, at, aliveAt, expiresAt, probe }: Permit) => [
    record(at, { kind: probe ? "probe" : "reserve", id, pid, lifeMs: expiresAt - at }),
    ...(aliveAt > at ? [record(aliveAt, { kind: "alive", id })] : []),
  ];
  const { backoff, lastObserved, strikes, windows } = state;
  const limits = windows.map(({ limit, remaining, reset, endsAt }) => {
    const at = lastObserved?.at ?? now.uptime;
    const observed = { limit, remaining, reset, endsIn: endsAt - at };
    return record(at, { kind: "limits", limits: observed });
  });
  const { permits, uncounted } = dropOldest(state, now.uptime);
  return [
    ...limits,
    ...(lastObserved === undefined
      ? []
      : [record(lastObserved.at, { kind: "limits", limits: lastObserved.limits })]),
    ...(uncounted.count === 0
      ? []
      : [record(uncounted.at, { kind: "uncounted", count: uncounted.count })]),
    ...permits.filter(({ afterBackoff }) => !afterBackoff).flatMap(permitRecords),
    ...(backoff === undefined ? [] : [record(now.uptime, blockOf(backoff, strikes, now.uptime))]),
    ...permits.filter(({ afterBackoff }) => afterBackoff).flatMap(permitRecords),
  ];
}

/** Returns the event that recreates `backoff` at `now`. */
export function blockOf({ until, status }: Backoff, strikes: number, now: number): LimiterEvent {
  return { kind: "block", status, waitMs: Math.max(0, until - now), strikes };
}

function dropOldest({ permits, uncounted }: LimiterState, now: number) {
  const all = [...permits.values()];
  const kept = all.slice(-maxSnapshotPermits);
  const dropped = all.length - kept.length;
  if (dropped === 0) return { permits: all, uncounted };
  return { permits: kept, uncounted: { count: uncounted.count + dropped, at: now } };
}
