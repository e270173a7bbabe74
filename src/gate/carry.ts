import type { GateEvent, GateRecord } from "./records.ts";
import { type Stamp, stampAt } from "./stamp.ts";
import type { GateState, Place } from "./state.ts";

/**
 * How many places are carried as such, so that a beginning stays short: many may write one at once.
 * Those before them count as sent.
 */
const mostPlaces = 100;

/** The records that make a new `state` of the same kind: what the next file of a log begins with. */
export function carry(state: GateState, now: Stamp): readonly GateRecord[] {
  const record = (at: number, event: GateEvent): GateRecord => ({ stamp: stampAt(at, now), event });
  const placeRecord = ({ id, pid, at, endsBy, probe }: Place): GateRecord =>
    record(at, { kind: probe ? "probe" : "reserve", id, pid, lifeMs: endsBy - at });
  const { block, seen, strikes, windows } = state;
  const limits = windows.map(({ limit, remaining, reset, endsBy }) => {
    const at = seen?.at ?? now.uptime;
    const told = { limit, remaining, reset, endsIn: endsBy - at };
    return record(at, { kind: "limits", limits: told });
  });
  const { places, lost } = shorten(state, now.uptime);
  const status = block?.status ?? 0;
  const waitMs = Math.max(0, (block?.until ?? 0) - now.uptime);
  return [
    ...limits,
    ...(seen === undefined ? [] : [record(seen.at, { kind: "limits", limits: seen.limits })]),
    ...(lost.count === 0 ? [] : [record(lost.at, { kind: "lost", count: lost.count })]),
    ...places.filter(({ afterBlock }) => !afterBlock).map(placeRecord),
    ...(block ? [record(now.uptime, { kind: "block", status, waitMs, strikes })] : []),
    ...places.filter(({ afterBlock }) => afterBlock).map(placeRecord),
  ];
}

function shorten({ places, lost }: GateState, now: number) {
  const all = [...places.values()];
  const kept = all.slice(-mostPlaces);
  const left = all.length - kept.length;
  if (left === 0) return { places: all, lost };
  return { places: kept, lost: { count: lost.count + left, at: now } };
}
