import type { LimiterEvent, LogRecord } from "./records.ts";
import { type Timestamp, timestampAt } from "./stamp.ts";
import type { LimiterState, Permit } from "../state.ts";

/**
 * How many places are carried as such, so that a beginning stays short: many may write one at once.
 * Those before them count as sent.
 */
const maxSnapshotPermits = 100;

/** The records that make a new `state` of the same kind: what the next file of a log begins with. */
export function snapshotRecords(state: LimiterState, now: Timestamp): readonly LogRecord[] {
  const record = (at: number, event: LimiterEvent): LogRecord => ({
    stamp: timestampAt(at, now),
    event,
  });
  const placeRecord = ({ id, pid, at, expiresAt, probe }: Permit): LogRecord =>
    record(at, { kind: probe ? "probe" : "reserve", id, pid, lifeMs: expiresAt - at });
  const { block, lastObserved, strikes, windows } = state;
  const limits = windows.map(({ limit, remaining, reset, endsBy }) => {
    const at = lastObserved?.at ?? now.uptime;
    const told = { limit, remaining, reset, endsIn: endsBy - at };
    return record(at, { kind: "limits", limits: told });
  });
  const { places, lost } = dropOldest(state, now.uptime);
  const status = block?.status ?? 0;
  const waitMs = Math.max(0, (block?.until ?? 0) - now.uptime);
  return [
    ...limits,
    ...(lastObserved === undefined
      ? []
      : [record(lastObserved.at, { kind: "limits", limits: lastObserved.limits })]),
    ...(lost.count === 0 ? [] : [record(lost.at, { kind: "lost", count: lost.count })]),
    ...places.filter(({ afterBackoff }) => !afterBackoff).map(placeRecord),
    ...(block ? [record(now.uptime, { kind: "block", status, waitMs, strikes })] : []),
    ...places.filter(({ afterBackoff }) => afterBackoff).map(placeRecord),
  ];
}

function dropOldest({ places, uncounted }: LimiterState, now: number) {
  const all = [...places.values()];
  const kept = all.slice(-maxSnapshotPermits);
  const left = all.length - kept.length;
  if (left === 0) return { places: all, lost: uncounted };
  return { places: kept, lost: { count: uncounted.count + left, at: now } };
}
