import { Failure } from "../../core/errors.ts";
import type { WaitCondition } from "../../rate-limiter/decision.ts";
import { isOpenEnded } from "../../rate-limiter/hold.ts";
import { rateLimitHints } from "../hints.ts";
import { statusText } from "../status.ts";

/**
 * Whether a request whose waits may take `room` ms more had better see what becomes of its siblings:
 * what holds it up may end with what they learn, which is no wait that anyone asked for. The service
 * may have counted those already that seem to use up the last requests of a limit.
 */
export function mayResolveLocally(hold: WaitCondition, room: number): boolean {
  return isOpenEnded(hold) || (hold.reason === "used_up" && !fitsBudget(hold, room));
}

/** Whether the wait fits into `room` ms; where nobody knows how long it will be, any room will do. */
export function fitsBudget(hold: WaitCondition, room: number): boolean {
  return isOpenEnded(hold) ? room > 0 : hold.ms <= room;
}

/** What a request waits for, as the user is told. */
export function describeWait(hold: WaitCondition): string {
  switch (hold.reason) {
    case "blocked":
      return `the service answered ${statusText(hold.status)} to an earlier request`;
    case "used_up":
      return `the limit of ${hold.limit} ${hold.limit === 1 ? "request" : "requests"} is used up`;
    case "probing":
      return "another request tries whether the service answers again";
    case "learning":
      return "other requests are on their way, and the limits are not known yet";
    default:
      throw new TypeError(`unknown hold ${String(hold satisfies never)}`);
  }
}

/** The Failure of a request that was sent `attempts` times, and whose next wait does not fit at `now`. */
export function maxWaitExceeded(hold: WaitCondition, now: number, attempts: number): Failure {
  const retryAt = isOpenEnded(hold) ? {} : { retryAt: now + Math.ceil(hold.ms) };
  const sent = attempts === 0 ? "; nothing was sent" : "";
  return new Failure("rate_limited", `${describeWait(hold)}${sent}`, {
    ...retryAt,
    retryable: true,
    attempts,
    hints: rateLimitHints(retryAt),
  });
}
