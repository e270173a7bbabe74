import { decide, type WaitCondition } from "./decision.ts";
import type { Timestamp } from "./log/records.ts";
import type { LimiterState } from "./state.ts";
import { mostConstrained } from "./windows.ts";

/** What is known without asking the service. Moments are ms since the epoch. */
export interface LimiterStatus {
  /** The moment at which all this is known. */
  readonly now: number;
  /** The limits that a reply told last, and when. */
  readonly limit?: number;
  readonly remaining?: number;
  readonly resetAt?: number;
  readonly seenAt?: number;
  /** What a request would have to wait for now. */
  readonly hold?: WaitCondition;
}

/** By how much replies differ, in ms, where they tell of one window in whole seconds. */
const rounding = 2000;

/** What is known by `state`, and what it would tell a new request, at the moment `now`. */
export function statusOf(state: LimiterState, now: Timestamp): LimiterStatus {
  const decision = decide(state, now.uptime);
  const known = { now: now.wall, ...(!decision.go && { hold: decision }) };
  const { lastObserved, windows } = state;
  if (lastObserved === undefined) return known;
  const { limit, remaining, endsIn } = lastObserved.limits;
  const own = windows.filter((window) => window.limit === limit);
  const window = mostConstrained(own, now.uptime);
  const toldReset = endsIn === undefined ? undefined : lastObserved.at + endsIn;
  const resetAt = resetOf(window?.endsBy, toldReset);
  const startedAt = now.wall - now.uptime;
  return {
    ...known,
    ...(limit !== undefined && { limit }),
    ...(remaining !== undefined && { remaining: window?.remaining ?? remaining }),
    ...(resetAt !== undefined && { resetAt: startedAt + resetAt }),
    seenAt: startedAt + lastObserved.at,
  };
}

/** The end of a window, by what is `known` of it and what the last reply `told`. */
function resetOf(known: number | undefined, told: number | undefined): number | undefined {
  if (known === undefined || told === undefined) return known ?? told;
  // Further apart than what is rounded: a refusal said to come again before the reset.
  return told > known + rounding ? told : known;
}
