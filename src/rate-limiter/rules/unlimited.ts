import { decide } from "./decision.ts";
import type { LimiterEvent, ReplyInfo } from "./records.ts";
import type { LimiterState } from "./state.ts";
import { mostConstrained } from "./windows.ts";

// A service without limits announces a huge one. Consecutive requests then use the same permit, and
// nothing is written for them: `npm run bench:bulk rate` measures what that saves.

/** More remaining requests than all processes could send before one of them records a lower number. */
const unlimitedThreshold = 100_000;
/** How long, in ms, consecutive requests may use the same permit. */
const maxReuseMs = 1000;

/** Returns true if, at `now`, a request may be sent, and more are left than need counting. */
export function isEffectivelyUnlimited(state: LimiterState, now: number): boolean {
  if ((mostConstrained(state.windows, now)?.remaining ?? 0) < unlimitedThreshold) return false;
  const decision = decide(state, now);
  return decision.go && !decision.probe;
}

/** Returns true if, at `now`, the next request may use the permit that `event` ends. */
export function canReusePermit(
  event: LimiterEvent,
  { permits }: LimiterState,
  now: number,
): boolean {
  if (event.kind !== "reply" || !isUninformative(event)) return false;
  const permit = permits.get(event.id);
  return permit !== undefined && now - permit.at < maxReuseMs;
}

/** Returns true if a reply says only that the service is still effectively unlimited. */
export function isUninformative({ waitMs, limits: { remaining = 0 } }: ReplyInfo): boolean {
  return waitMs === undefined && remaining >= unlimitedThreshold;
}
