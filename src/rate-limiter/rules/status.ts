import { type Asker, decide, type WaitCondition } from "./decision.ts";
import type { Timestamp } from "./records.ts";
import type { LimiterState } from "./state.ts";
import { mostConstrained } from "./windows.ts";

/** The server through which machines share a limiter, and whether it is used. */
export interface SharedLimiter {
  /** Without user and password. */
  readonly url: string;
  readonly inForce: boolean;
  readonly reason?: string;
}

/** What is known about a key without a request. Times are ms since the epoch. */
export interface LimiterStatus {
  readonly now: number;
  /** The limits that the last reply announced, and when. */
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  readonly resetAt?: number | undefined;
  readonly seenAt?: number;
  /** How long the windows of the limit are at most, if two were seen. */
  readonly windowMs?: number | undefined;
  readonly condition?: WaitCondition;
  readonly limiter?: SharedLimiter;
  /** Where it is kept if the state folder can't be used; null in this process alone. */
  readonly movedTo?: string | null;
}

/** How much replies about the same window may differ, as they count in whole seconds. */
const roundingMs = 2000;

/** Returns what `state` says at `now`, and what a new request of `asker` would have to wait for. */
export function statusOf(state: LimiterState, now: Timestamp, asker?: Asker): LimiterStatus {
  const decision = decide(state, now.uptime, asker);
  const known = { now: now.wall, ...(!decision.go && { condition: decision }) };
  if (state.lastObserved === undefined) return known;
  const { limit, remaining, endsIn, at } = state.lastObserved;
  const ofLimit = state.windows.filter((window) => window.limit === limit);
  const window = mostConstrained(ofLimit, now.uptime);
  const resetAt = resetOf(window?.endsAt, endsIn === undefined ? undefined : at + endsIn);
  const startedAt = now.wall - now.uptime;
  return {
    ...known,
    limit,
    remaining: remaining === undefined ? undefined : (window?.remaining ?? remaining),
    resetAt: resetAt === undefined ? undefined : startedAt + resetAt,
    seenAt: startedAt + at,
    windowMs: ofLimit.at(-1)?.length,
  };
}

/** Returns the end of a window by what is known of it and what the last reply announced. */
function resetOf(known: number | undefined, announced: number | undefined): number | undefined {
  if (known === undefined || announced === undefined) return known ?? announced;
  // Further apart than rounding explains: a refusal asked for a retry before the reset.
  return announced > known + roundingMs ? announced : known;
}
