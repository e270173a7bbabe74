import type { LimiterEvent, ReplyInfo } from "./log/records.ts";
import type { LimiterState } from "./state.ts";
import { mostConstrained } from "./windows.ts";

/**
 * So many requests that are left are more than all processes could use up before one of them has
 * written down how many are left then. It is what a service says that has no limits.
 */
const unlimitedThreshold = 100_000;
/** For how long, in ms, one request after the other may have the same place, and nothing is written. */
const maxReuseMs = 1000;

/** Whether there are, by what is known at `now`, more requests left than anyone need count. */
export function isEffectivelyUnlimited({ windows }: LimiterState, now: number): boolean {
  return (mostConstrained(windows, now)?.remaining ?? 0) >= unlimitedThreshold;
}

/**
 * Whether the next request may have the place of the one that `event` is the end of, at `now`: its
 * reply tells nothing but that there is plenty still. Two writes for each request would cost a bulk
 * run a quarter of its speed.
 */
export function canReusePermit(
  event: LimiterEvent,
  { places }: LimiterState,
  now: number,
): boolean {
  if (event.kind !== "reply" || !isUninformative(event)) return false;
  const place = places.get(event.id);
  return place !== undefined && now - place.at < maxReuseMs;
}

/** Whether a reply tells nothing but that there is plenty still. */
export function isUninformative({ waitMs, limits: { remaining = 0 } }: ReplyInfo): boolean {
  return waitMs === undefined && remaining >= unlimitedThreshold;
}
