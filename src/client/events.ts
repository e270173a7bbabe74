import { describeOutcome, type Outcome, type ReplyHead } from "./http/outcome.ts";
import { type Headers, headerValues, parseRateLimit } from "./retry/rate-limit-headers.ts";
import type { Redaction } from "./redact.ts";
import type { ApiEvent, DeprecationNotice } from "./types.ts";

/** What is known of a send beside its outcome; `ms` is how long it took, `now` when it ended. */
export interface SendInfo {
  readonly ms: number;
  readonly now: number;
  readonly host: string;
  readonly redaction: Redaction;
}

/** What there is to tell of how a send ended. */
export function toEvents(outcome: Outcome, facts: SendInfo): readonly ApiEvent[] {
  const { ms, now, host, redaction } = facts;
  const events: ApiEvent[] = [];
  const head = headOf(outcome);
  if (head !== undefined) {
    const limits = parseRateLimit(head.headers, now);
    events.push({ type: "reply", status: head.status, ms, limits });
    const notice = deprecationOf(head.headers, redaction);
    if (notice !== undefined) events.push({ type: "deprecation", notice });
  }
  if (outcome.kind !== "reply") {
    events.push({ type: "failure", what: describeOutcome(outcome, host), ms });
  }
  return events;
}

function headOf(outcome: Outcome): ReplyHead | undefined {
  if (outcome.kind === "reply") return outcome.reply;
  return "head" in outcome ? outcome.head : undefined;
}

/** The headers of RFC 9745 and RFC 8594; several values of one are joined by commas (RFC 9110, 5.3). */
function deprecationOf(headers: Headers, redaction: Redaction): DeprecationNotice | undefined {
  const value = (name: string): string | undefined => {
    const values = headerValues(headers, name);
    return values.length === 0 ? undefined : redaction.text(values.join(", "));
  };
  const [deprecation, sunset, link] = [value("deprecation"), value("sunset"), value("link")];
  if (deprecation === undefined && sunset === undefined) return undefined;
  return {
    ...(deprecation !== undefined && { deprecation }),
    ...(sunset !== undefined && { sunset }),
    ...(link !== undefined && { link }),
  };
}
