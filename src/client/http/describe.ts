import type { Outcome } from "./outcome.ts";
import { statusText } from "../status.ts";

const descriptions = {
  timeout: "gave no whole answer in time",
  reset: "closed the connection without an answer",
  malformed: "sent an answer that is not HTTP",
  cut_off: "broke off in the middle of its answer",
  too_large: "sent an answer of over 8 MiB",
  unreadable: "sent an answer that cannot be decoded",
  aborted: "was not waited for",
} as const;

/** How a send ended, ready to be read: `who` (the service, or its host) and what it did. */
export function describeOutcome(outcome: Outcome, who: string): string {
  if (outcome.kind === "reply") return `${who} answered ${statusText(outcome.reply.status)}`;
  if (outcome.kind === "tls") return outcome.reason;
  if (outcome.kind !== "never_sent") return `${who} ${descriptions[outcome.kind]}`;
  return outcome.timedOut ? `${who} could not be reached in time` : outcome.reason;
}
