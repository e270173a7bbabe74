import { isOpenEnded, type WaitCondition } from "../rate-limiter/rules/decision.ts";
import type { LimiterStatus, SharedLimiter } from "../rate-limiter/rules/status.ts";
import { formatCount, formatMoment, plural } from "../core/format.ts";
import { unlimited } from "../core/api.ts";
import { formatAge, formatAllowance, formatDuration, isoTime } from "./text/format.ts";
import type { RecordColumn } from "./records.ts";

/** Why a request would have to wait, as in JSON, and what that means. */
export const waitReasons = {
  rate_limited: "the service refused a request (429)",
  unavailable: "the service was not available (503)",
  used_up: "all requests of the limit are sent or in flight",
  probing: "a probe request checks whether the service accepts requests again",
  learning: "requests are in flight, and the limits are not known yet",
} as const;

type ShownWaitReason = keyof typeof waitReasons;

/** How limits are shown. */
export const limitColumns = [
  { field: "limit", header: "LIMIT", kind: "number" },
  { field: "remaining", header: "LEFT", kind: "number" },
  { field: "resetAt", header: "RESET", kind: "text" },
  { field: "waitUntil", header: "WAIT", kind: "text" },
  { field: "waitReason", header: "WHY", kind: "text", flexible: true },
  { field: "seenAt", header: "AGE", kind: "text", flexible: true },
] as const satisfies readonly RecordColumn[];

/** The columns if a server shares the limits between machines. */
export const sharedLimitColumns = [
  ...limitColumns,
  { field: "limiter", header: "LIMITER", kind: "text", flexible: true },
] as const satisfies readonly RecordColumn[];

/** What is known about the limits, ready to be shown: times and waits as text. */
export type LimitRecord = Partial<
  Record<
    (typeof sharedLimitColumns)[number]["field"],
    number | string | { [name: string]: string | boolean }
  >
>;

/** Returns a status for scripts, with times in ISO 8601 UTC. What is unknown or does not apply is left out. */
export function limitRecord(status: LimiterStatus): LimitRecord {
  const { condition, now } = status;
  return {
    ...counts(status),
    ...timeField("resetAt", isoTime(status.resetAt)),
    ...timeField(
      "waitUntil",
      condition && !isOpenEnded(condition) ? isoTime(now + condition.ms) : undefined,
    ),
    ...(condition && { waitReason: waitReasonOf(condition) }),
    ...timeField("seenAt", isoTime(status.seenAt)),
    ...(status.limiter && { limiter: { ...status.limiter } }),
  };
}

/** Limits older than this, in ms, are shown with their age. */
const freshMs = 60_000;

/**
 * Returns a status for people, in sentences: what is left, any wait, and how old that is if it is over
 * a minute old. None if nothing is known.
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

/** Returns a status as a row of a table: time until the reset and the end of the wait, and its age. */
export function limitCells(status: LimiterStatus): LimitRecord {
  const { condition, now, limit, remaining, resetAt, seenAt } = status;
  const until = condition && (isOpenEnded(condition) ? "unknown" : formatDuration(condition.ms));
  return {
    ...(limit !== undefined && { limit: formatAllowance(limit) }),
    ...(remaining !== undefined && { remaining: formatAllowance(remaining) }),
    ...(resetAt !== undefined && {
      resetAt: isStale(status) ? "past" : formatDuration(resetAt - now),
    }),
    waitUntil: until ?? "none",
    ...(condition && { waitReason: waitReasonOf(condition) }),
    ...(seenAt !== undefined && { seenAt: formatAge(now - seenAt) }),
    ...(status.limiter && { limiter: limiterCell(status.limiter) }),
  };
}

function limiterCell({ url, inForce }: SharedLimiter): string {
  return inForce ? url : `${url} (not used)`;
}

/** Returns whether the window was reset since it was seen, so that the remaining requests are unknown. */
export function isStale({ now, resetAt }: LimiterStatus): boolean {
  return resetAt !== undefined && resetAt <= now;
}

function counts({ limit, remaining }: LimiterStatus): LimitRecord {
  return { ...(limit !== undefined && { limit }), ...(remaining !== undefined && { remaining }) };
}

function timeField(field: keyof LimitRecord, text: string | undefined): LimitRecord {
  return text === undefined ? {} : { [field]: text };
}

function waitReasonOf(condition: WaitCondition): ShownWaitReason {
  if (condition.reason !== "blocked") return condition.reason;
  return condition.status === 429 ? "rate_limited" : "unavailable";
}
