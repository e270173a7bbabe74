import { unlimited } from "../core/api.ts";
import { formatCount, formatMoment, plural } from "../core/format.ts";
import { isOpenEnded, type WaitCondition } from "../rate-limiter/rules/decision.ts";
import type { LimiterStatus, SharedLimiter } from "../rate-limiter/rules/status.ts";
import { number, text } from "./columns.ts";
import { formatAge, formatDuration, isoTime } from "./text/format.ts";

/** Why a request would have to wait, as in JSON, and what that means. */
export const waitReasons = {
  rate_limited: "the service refused a request (429)",
  unavailable: "the service was unavailable (503)",
  used_up: "all requests of the limit are used or in flight",
  probing: "a probe request asks whether the service accepts requests again",
  learning: "requests are in flight, and the limits are not known yet",
} as const;

type ShownWaitReason = keyof typeof waitReasons;

/** The fields of what is known about the limits, for scripts. */
export const limitColumns = [
  number("limit"),
  number("remaining"),
  number("resetAt"),
  number("waitUntil"),
  number("waitReason"),
  number("seenAt"),
  text("limiter"),
];

/** What is known about the limits, with times in ISO 8601 UTC. */
export interface LimitRecord {
  readonly limit?: number;
  readonly remaining?: number;
  readonly resetAt?: string;
  readonly waitUntil?: string;
  readonly waitReason?: ShownWaitReason;
  readonly seenAt?: string;
  readonly limiter?: SharedLimiter;
}

/** Returns a status for scripts, with times in ISO 8601 UTC. What is unknown or does not apply is left out. */
export function limitRecord(status: LimiterStatus): LimitRecord {
  const { limit, remaining, resetAt, seenAt, condition, now, limiter } = status;
  const waitUntil = condition && !isOpenEnded(condition) ? now + condition.ms : undefined;
  return withoutUnknown({
    limit,
    remaining,
    resetAt: isoTime(resetAt),
    waitUntil: isoTime(waitUntil),
    waitReason: condition && waitReasonOf(condition),
    seenAt: isoTime(seenAt),
    limiter,
  });
}

/** Limits older than this, in ms, are shown with their age. */
const freshMs = 60_000;

/**
 * Returns a status for people, in sentences: what is left, any wait, and its age if that is more than
 * a minute. None if nothing is known.
 */
export function limitSentences(status: LimiterStatus): readonly string[] {
  const { condition, now, seenAt } = status;
  const left = describeLimit(status);
  const age = left === undefined || seenAt === undefined ? 0 : now - seenAt;
  return [
    ...(left === undefined ? [] : [left]),
    ...(condition === undefined ? [] : [describeCondition(condition, now)]),
    ...(age < freshMs ? [] : [`Last seen ${formatAge(age)} ago.`]),
    ...(status.limiter === undefined ? [] : [describeLimiter(status.limiter)]),
  ];
}

/** Returns a sentence on the server through which machines share their limits. */
function describeLimiter({ url, inForce, reason = "" }: SharedLimiter): string {
  if (inForce) return `Shared with other machines through ${url}.`;
  return `Not shared with other machines: ${url} cannot be used (${reason}).`;
}

function describeLimit(status: LimiterStatus): string | undefined {
  const { limit, remaining, resetAt, now } = status;
  if ((limit ?? remaining ?? 0) >= unlimited) return "Unlimited requests.";
  if (resetAt !== undefined && isStale(status)) {
    const which = limit === undefined ? "limit" : `limit of ${requests(limit)}`;
    return `The ${which} was reset at ${formatMoment(wholeSecond(resetAt), now)}.`;
  }
  const reset = resetAt === undefined ? undefined : `resets at ${moment(resetAt, now)}`;
  if (remaining !== undefined) {
    const left = limit === undefined ? "" : `${formatCount(remaining)} of `;
    const sentence = `${left}${requests(limit ?? remaining)} left`;
    return reset === undefined ? `${sentence}.` : `${sentence}; ${reset}.`;
  }
  if (limit !== undefined)
    return `The limit is ${requests(limit)}${reset === undefined ? "" : `; it ${reset}`}.`;
  return reset === undefined ? undefined : `The limit ${reset}.`;
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

/** Returns a record without the fields that are undefined. */
function withoutUnknown(record: {
  readonly [Field in keyof LimitRecord]: LimitRecord[Field] | undefined;
}): LimitRecord {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

/** Returns whether the window was reset since it was seen, so that the remaining requests are unknown. */
export function isStale({ now, resetAt }: LimiterStatus): boolean {
  return resetAt !== undefined && resetAt <= now;
}

function waitReasonOf(condition: WaitCondition): ShownWaitReason {
  if (condition.reason !== "blocked") return condition.reason;
  return condition.status === 429 ? "rate_limited" : "unavailable";
}
