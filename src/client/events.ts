import { type AttemptOutcome, describeOutcome, headOf } from "./http/outcome.ts";
import type { DeprecationNotice, ReplyHead } from "./http/reply-head.ts";
import type { Redaction } from "./redaction.ts";
import type { ApiEvent, RateLimits } from "./types.ts";

/** Returns the events that report how a send to `host` ended after `ms`, without the key. */
export function toEvents(
  outcome: AttemptOutcome,
  { ms, host, redaction }: { ms: number; host: string; redaction: Redaction },
): readonly ApiEvent[] {
  const head = headOf(outcome);
  const events = head === undefined ? [] : headEvents(head, ms, redaction);
  if (outcome.kind === "reply") return events;
  return [...events, { type: "failure", what: describeOutcome(outcome, host), ms }];
}

function headEvents(head: ReplyHead, ms: number, redaction: Redaction): readonly ApiEvent[] {
  const { status, deprecation, storeId } = head;
  const limits = limitsOf(head);
  const reply = {
    type: "reply",
    status,
    ms,
    limits,
    storeId: storeId && redaction.text(storeId),
  } as const;
  if (deprecation === undefined) return [reply];
  return [reply, { type: "deprecation", notice: redacted(deprecation, redaction) }];
}

function limitsOf({ rateLimit, receivedAt }: ReplyHead): RateLimits {
  const { limit, remaining, endsIn } = rateLimit;
  return { limit, remaining, resetAt: endsIn === undefined ? undefined : receivedAt + endsIn };
}

function redacted(notice: DeprecationNotice, redaction: Redaction): DeprecationNotice {
  return Object.fromEntries(
    Object.entries(notice).map(([name, value]: [string, string]) => [name, redaction.text(value)]),
  );
}
