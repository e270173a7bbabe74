import type { Decision, Hold } from "./decide.ts";
import type { Stamp } from "./stamp.ts";
import type { GateState } from "./state.ts";
import { tightest } from "./windows.ts";

/** What is known without asking the service. Moments are ms since the epoch. */
export interface GateView {
  /** The limits that a reply told last, and when. */
  readonly limit?: number;
  readonly remaining?: number;
  readonly resetAt?: number;
  readonly seenAt?: number;
  /** What a request would have to wait for now. */
  readonly hold?: Hold;
}

/** What `state` and the `decision` on a new request come to, at the moment `now`. */
export function viewOf({ seen, windows }: GateState, decision: Decision, now: Stamp): GateView {
  const hold = decision.go ? {} : { hold: decision };
  if (seen === undefined) return hold;
  const { limit, remaining, endsIn } = seen.limits;
  const own = windows.filter((window) => window.limit === limit);
  const window = tightest(own, now.uptime);
  const toldReset = endsIn === undefined ? undefined : seen.at + endsIn;
  const resetAt = window?.endsBy ?? toldReset;
  const startedAt = now.wall - now.uptime;
  return {
    ...hold,
    ...(limit !== undefined && { limit }),
    ...(remaining !== undefined && { remaining: window?.remaining ?? remaining }),
    ...(resetAt !== undefined && { resetAt: startedAt + resetAt }),
    seenAt: startedAt + seen.at,
  };
}
