import { truncate } from "../core/strings.ts";
import { type AttemptOutcome, describeOutcome, headOf } from "./http/outcome.ts";
import type { Redaction } from "./redaction.ts";
import type { ApiEvent } from "./types.ts";

/** How much of the body of an error is looked at. */
const maxText = 1000;

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
    const body = outcome.kind === "reply" && status >= 400 ? (outcome.reply.body ?? "") : "";
    const text = truncate(
      redaction.text(body).slice(0, maxText).trim().replaceAll(/\s+/g, " "),
      200,
    );
    events.push({ type: "reply", status, ms, limits, storeId, ...(text !== "" && { text }) });
    const sent = Object.entries(deprecation).map(([name, value]) => [name, redaction.text(value)]);
    if (sent.length > 0) events.push({ type: "deprecation", notice: Object.fromEntries(sent) });
  }
  if (outcome.kind !== "reply")
    events.push({ type: "failure", what: describeOutcome(outcome, host), ms });
  return events;
}
