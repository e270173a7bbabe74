import { type AttemptOutcome, describeOutcome, headOf } from "./http/outcome.ts";
import type { Redaction } from "./redaction.ts";
import type { ApiEvent } from "./types.ts";

/** Returns the events that report how a send to `host` ended after `ms`, without the key. */
export function toEvents(
  outcome: AttemptOutcome,
  { ms, host, redaction }: { ms: number; host: string; redaction: Redaction },
): readonly ApiEvent[] {
  const events: ApiEvent[] = [];
  const head = headOf(outcome);
  if (head !== undefined) {
    const { status, rateLimit, receivedAt, deprecation } = head;
    const { limit, remaining, endsIn } = rateLimit;
    const limits = {
      limit,
      remaining,
      resetAt: endsIn === undefined ? undefined : receivedAt + endsIn,
    };
    const storeId = head.storeId && redaction.text(head.storeId);
    events.push({ type: "reply", status, ms, limits, storeId });
    const headers = Object.entries(deprecation).map(([name, value]) => [
      name,
      redaction.text(value),
    ]);
    if (headers.length > 0)
      events.push({ type: "deprecation", notice: Object.fromEntries(headers) });
  }
  if (outcome.kind !== "reply")
    events.push({ type: "failure", what: describeOutcome(outcome, host), ms });
  return events;
}
