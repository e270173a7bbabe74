import { unlimited } from "../core/api.ts";
import {
  formatAge,
  formatCount,
  formatDuration,
  formatMoment,
  isoTime,
  plural,
} from "../core/format.ts";
import { isOpenEnded, type WaitCondition } from "../rate-limiter/rules/decision.ts";
import type { LimiterStatus, SharedLimiter } from "../rate-limiter/rules/status.ts";
import { number, text } from "./columns.ts";

/** Why a request would have to wait, as in JSON, and what that means. */
export const waitReasons = {
  rate_limited: "the service refused a request (429)",
  unavailable: "the service was unavailable (503)",
  used_up: "all requests of the limit are used or in flight",
  probing: "a probe request asks whether the service accepts requests again",
  learning: "requests are in flight, and the limits are not known yet",
} as const;

export const limitColumns = [
  number("limit"),
  number("remaining"),
  number("resetAt"),
  number("waitUntil"),
  number("waitReason"),
  number("seenAt"),
  text("limiter"),
  text("limiterDirectory"),
  text("unlimited"),
];

/** Returns a status for scripts, with times in ISO 8601 UTC. What is unknown or does not apply is undefined. */
export function limitRecord(status: LimiterStatus) {
  const { limit, remaining, resetAt, seenAt, condition, now, limiter, movedTo } = status;
  const waitUntil = condition && !isOpenEnded(condition) ? now + condition.ms : undefined;
  return {
    limit,
    remaining,
    resetAt: isoTime(resetAt && wholeSecond(resetAt)),
    waitUntil: isoTime(waitUntil),
    waitReason: condition && waitReasonOf(condition),
    seenAt: isoTime(seenAt),
    limiter,
    limiterDirectory: movedTo,
    unlimited: isUnlimited(status) || undefined,
  };
}

const freshMs = 60_000;

/** Returns a status for people, in sentences, with its age if that is more than a minute. None if nothing is known. */
export function limitSentences(status: LimiterStatus): readonly string[] {
  const { condition, now, seenAt = now, limiter, movedTo } = status;
  const left = describeLimit(status);
  const isOld = left !== undefined && !isStale(status) && now - seenAt >= freshMs;
  return [
    left,
    condition && describeCondition(condition, now),
    isOld ? `Last seen ${formatAge(now - seenAt)} ago.` : undefined,
    limiter && describeLimiter(limiter),
    movedTo === undefined ? undefined : `Kept in ${movedTo ?? "this process alone"}.`,
  ].filter((sentence) => sentence !== undefined);
}

function describeLimiter({ url, inForce, reason = "" }: SharedLimiter): string {
  if (inForce) return `Shared with other machines through ${url}.`;
  return `Not shared with other machines: ${url} cannot be used (${reason}).`;
}

const isUnlimited = ({ limit, remaining }: LimiterStatus): boolean =>
  (limit ?? remaining ?? 0) >= unlimited;

function describeLimit(status: LimiterStatus): string | undefined {
  const { limit, remaining, resetAt, now } = status;
  if (isUnlimited(status)) return "Unlimited requests.";
  if (isStale(status)) return limit === undefined ? undefined : `The limit is ${requests(limit)}.`;
  const resets = resetAt === undefined ? "" : `resets at ${moment(resetAt, now)}`;
  if (remaining !== undefined) {
    const left = limit === undefined ? "" : `${formatCount(remaining)} of `;
    return `${left}${requests(limit ?? remaining)} left${resets && `; ${resets}`}.`;
  }
  if (limit !== undefined) return `The limit is ${requests(limit)}${resets && `; it ${resets}`}.`;
  return resets === "" ? undefined : `The limit ${resets}.`;
}

function describeCondition(condition: WaitCondition, now: number): string {
  const until = isOpenEnded(condition) ? "" : ` until ${moment(now + condition.ms, now)}`;
  return `Waiting${until}: ${waitReasons[waitReasonOf(condition)]}.`;
}

const requests = (count: number): string => plural(count, "request");

// Replies announce whole seconds, by a clock of whole seconds: the fraction is rounding error.
const wholeSecond = (time: number): number => Math.floor(time / 1000) * 1000;

const moment = (time: number, now: number): string =>
  `${formatMoment(wholeSecond(time), now)} (in ${formatDuration(time - now)})`;

/** Returns whether the window was reset since it was seen, so that the remaining requests are unknown. */
export function isStale({ now, resetAt }: LimiterStatus): boolean {
  return resetAt !== undefined && resetAt <= now;
}

function waitReasonOf(condition: WaitCondition): keyof typeof waitReasons {
  if (condition.reason !== "blocked") return condition.reason;
  return condition.status === 429 ? "rate_limited" : "unavailable";
}
