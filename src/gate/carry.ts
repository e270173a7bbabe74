import type { GateEvent, GateRecord } from "./records.ts";
import { type Stamp, stampAt } from "./stamp.ts";
import type { GateState, Place } from "./state.ts";

/** The records that make a new `state` of the same kind: what the next file of a log begins with. */
export function carry(state: GateState, now: Stamp): readonly GateRecord[] {
  const { block, lost, places, seen, strikes, windows } = state;
  const record = (at: number, event: GateEvent): GateRecord => ({ stamp: stampAt(at, now), event });
  const all = [...places.values()];
  const placeRecords = (chosen: readonly Place[]): readonly GateRecord[] =>
    chosen.map(({ id, pid, at, endsBy, probe }) =>
      record(at, { kind: probe ? "probe" : "reserve", id, pid, lifeMs: endsBy - at }),
    );
  const limits = windows.map(({ limit, remaining, reset, endsBy }) => {
    const at = seen?.at ?? now.uptime;
    const told = { limit, remaining, reset, endsIn: endsBy - at };
    return record(at, { kind: "limits", limits: told });
  });
  return [
    ...limits,
    ...(seen === undefined ? [] : [record(seen.at, { kind: "limits", limits: seen.limits })]),
    ...(lost.count === 0 ? [] : [record(lost.at, { kind: "lost", count: lost.count })]),
    ...placeRecords(all.filter(({ afterBlock }) => !afterBlock)),
    ...(block === undefined
      ? []
      : [
          record(now.uptime, {
            kind: "block",
            status: block.status,
            waitMs: Math.max(0, block.until - now.uptime),
            strikes,
          }),
        ]),
    ...placeRecords(all.filter(({ afterBlock }) => afterBlock)),
  ];
}
