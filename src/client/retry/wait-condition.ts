import { Failure } from "../../core/errors.ts";
import { formatCount, plural } from "../../core/format.ts";
import { isOpenEnded, type WaitCondition } from "../../rate-limiter/rules/decision.ts";
import { statusText } from "../http/outcome.ts";
import { rateLimitHints } from "../report/hints.ts";

/**
 * Returns true if an in-flight request of this process may lift the condition: then wait for it instead
 * of failing on `--max-wait`. For an exhausted window that holds because the service may have counted
 * the in-flight requests already. `roomMs` is how much longer the request may wait.
 */
export function mayResolveLocally(condition: WaitCondition, roomMs: number): boolean {
  if (isOpenEnded(condition)) return true;
  return condition.reason === "used_up" && !fitsBudget(condition, roomMs);
}

/** Returns true if the wait fits into `roomMs`; an open-ended one fits into any room. */
export function fitsBudget(condition: WaitCondition, roomMs: number): boolean {
  return isOpenEnded(condition) ? roomMs > 0 : condition.ms <= roomMs;
}

/** Returns what a request waits for, for the user. */
export function describeWait(condition: WaitCondition): string {
  switch (condition.reason) {
    case "blocked":
      return `the service responded with ${statusText(condition.status)} to an earlier request`;
    case "used_up":
      return `the limit of ${plural(condition.limit, "request")} is used up${describeReserve(condition.reserved)}`;
    case "probing":
      return "a probe request checks whether the service accepts requests again";
    case "learning":
      return "other requests are in flight, and the limits are not known yet";
    default:
      throw new TypeError(`unknown wait condition ${String(condition satisfies never)}`);
  }
}

function describeReserve(reserved = 0): string {
  return reserved === 0 ? "" : `, except for ${formatCount(reserved)} reserved for other commands`;
}

/** Returns the Failure of a request that was sent `attempts` times and whose next wait, from `now`, does not fit. */
export function maxWaitExceeded(condition: WaitCondition, now: number, attempts: number): Failure {
  const retryAt = isOpenEnded(condition) ? {} : { retryAt: now + Math.ceil(condition.ms) };
  const sent = attempts === 0 ? "; nothing was sent" : "";
  return new Failure("rate_limited", `${describeWait(condition)}${sent}`, {
    ...retryAt,
    retryable: true,
    attempts,
    hints: rateLimitHints(retryAt, now, "status" in condition ? condition.status : undefined),
  });
}
