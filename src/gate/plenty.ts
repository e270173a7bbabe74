import type { GateEvent, Learned } from "./records.ts";
import type { GateState } from "./state.ts";
import { tightest } from "./windows.ts";

/**
 * So many requests that are left are more than all processes could use up before one of them has
 * written down how many are left then. It is what a service says that has no limits.
 */
const plenty = 100_000;
/** For how long, in ms, one request after the other may have the same place, and nothing is written. */
const longestKept = 1000;

/** Whether there are, by what is known at `now`, more requests left than anyone need count. */
export function hasPlenty({ windows }: GateState, now: number): boolean {
  return (tightest(windows, now)?.remaining ?? 0) >= plenty;
}

/**
 * Whether the next request may have the place of the one that `event` is the end of, at `now`: its
 * reply tells nothing but that there is plenty still. Two writes for each request would cost a bulk
 * run a quarter of its speed.
 */
export function leavesItsPlace(event: GateEvent, { places }: GateState, now: number): boolean {
  if (event.kind !== "reply" || !isNoNews(event)) return false;
  const place = places.get(event.id);
  return place !== undefined && now - place.at < longestKept;
}

/** Whether a reply tells nothing but that there is plenty still. */
export function isNoNews({ waitMs, limits: { remaining = 0 } }: Learned): boolean {
  return waitMs === undefined && remaining >= plenty;
}
