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
    const resetAt = endsIn === undefined ? undefined : receivedAt + endsIn;
    const limits = { limit, remaining, resetAt };
    const storeId = head.storeId && redaction.text(head.storeId);
    events.push({ type: "reply", status, ms, limits, storeId });
    const sent = Object.entries(deprecation).map(([name, text]) => [name, redaction.text(text)]);
    if (sent.length > 0) events.push({ type: "deprecation", notice: Object.fromEntries(sent) });
  }
  if (outcome.kind !== "reply")
    events.push({ type: "failure", what: describeOutcome(outcome, host), ms });
  return events;
}
