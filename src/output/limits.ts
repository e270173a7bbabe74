import { isOpenEnded, type WaitCondition } from "../rate-limiter/decision.ts";
import type { LimiterStatus } from "../rate-limiter/status.ts";
import { formatAge, formatDuration, isoTime } from "./text/format.ts";
import type { RecordColumn } from "./records.ts";

/** Why a request would have to wait, as scripts are told it, and what that means. */
export const waitReasons = {
  rate_limited: "the service refused a request (429)",
  unavailable: "the service was not available (503)",
  used_up: "all requests of the limit are sent, or on their way",
  probing: "another request tries whether the service answers again",
  learning: "others are on their way, and the limits are not known yet",
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

/** What is known of the limits, as it is shown: moments and waits as text. */
type LimitRecord = Partial<Record<(typeof limitColumns)[number]["field"], number | string>>;

/** `view` for scripts: moments are ISO 8601 in UTC. What does not apply, or is not known, is left out. */
export function limitRecord(view: LimiterStatus): LimitRecord {
  const { condition, now } = view;
  return {
    ...counts(view),
    ...moment("resetAt", isoTime(view.resetAt)),
    ...moment(
      "waitUntil",
      condition && !isOpenEnded(condition) ? isoTime(now + condition.ms) : undefined,
    ),
    ...(condition && { waitReason: waitReasonOf(condition) }),
    ...moment("seenAt", isoTime(view.seenAt)),
  };
}

/** `view` for people: how long until the reset and the end of the wait, and how old. */
export function limitCells(view: LimiterStatus): LimitRecord {
  const { condition, now, resetAt, seenAt } = view;
  const until = condition && (isOpenEnded(condition) ? "unknown" : formatDuration(condition.ms));
  return {
    ...counts(view),
    ...(resetAt !== undefined && {
      resetAt: isStale(view) ? "past" : formatDuration(resetAt - now),
    }),
    waitUntil: until ?? "none",
    ...(condition && { waitReason: waitReasonOf(condition) }),
    ...(seenAt !== undefined && { seenAt: formatAge(now - seenAt) }),
  };
}

/** Whether the limit was reset since it was seen, so that nobody knows how many requests remain. */
export function isStale({ now, resetAt }: LimiterStatus): boolean {
  return resetAt !== undefined && resetAt <= now;
}

function counts({ limit, remaining }: LimiterStatus): LimitRecord {
  return { ...(limit !== undefined && { limit }), ...(remaining !== undefined && { remaining }) };
}

function moment(field: keyof LimitRecord, text: string | undefined): LimitRecord {
  return text === undefined ? {} : { [field]: text };
}

function waitReasonOf(condition: WaitCondition): ShownWaitReason {
  if (condition.reason !== "blocked") return condition.reason;
  return condition.status === 429 ? "rate_limited" : "unavailable";
}
