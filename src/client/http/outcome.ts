import { STATUS_CODES } from "node:http";
import type { ReplyHead } from "./reply-head.ts";

/** How one attempt ended. Except for `never_sent` and `tls`, the service may have acted. */
export type AttemptOutcome =
  /** The head of a reply and, for a 2xx, its complete body in UTF-8. */
  | { readonly kind: "reply"; readonly reply: ReplyHead & { readonly body: string | undefined } }
  | {
      readonly kind: "never_sent";
      readonly reason: string;
      readonly timedOut?: boolean;
      /** It is useless to try again: a proxy refuses. */
      readonly final?: boolean;
      readonly refused?: boolean;
      /** It is the proxy that can't be used. */
      readonly byProxy?: boolean;
    }
  /** No secure connection, perhaps for a bad certificate. */
  | { readonly kind: "tls"; readonly reason: string; readonly certificate: boolean }
  /** No complete reply in time; the connection broke before any byte of a reply; a reply that is not HTTP. */
  | { readonly kind: "timeout" | "reset" | "malformed" }
  /** A 2xx whose body is incomplete, over the maximum, or not as its headers say or not UTF-8. */
  | {
      readonly kind: "cut_off" | "too_large" | "unreadable";
      readonly head: ReplyHead | undefined;
    }
  /** By the caller; `sent` if it may have been sent. */
  | { readonly kind: "aborted"; readonly sent: boolean };

/** Returns the head of the reply, if one came, whatever became of its body. */
export function headOf(outcome: AttemptOutcome): ReplyHead | undefined {
  if (outcome.kind === "reply") return outcome.reply;
  return "head" in outcome ? outcome.head : undefined;
}

const descriptions = {
  timeout: "did not send a complete response in time",
  reset: "closed the connection without a response",
  malformed: "sent a response that is not valid HTTP",
  cut_off: "closed the connection in the middle of its response",
  too_large: "sent a response over 8 MiB",
  unreadable: "sent a response that cannot be decoded",
  aborted: "had not responded when the request was cancelled",
} as const;

/** Returns the status with its registered name, such as `404 Not Found`. */
export function statusText(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ""}`.trim();
}

/** Returns for the user how an attempt ended: `who` (the service, or its host) and what it did. */
export function describeOutcome(outcome: AttemptOutcome, who: string): string {
  if (outcome.kind === "reply") return `${who} responded with ${statusText(outcome.reply.status)}`;
  if (outcome.kind === "tls") return outcome.reason;
  if (outcome.kind !== "never_sent") return `${who} ${descriptions[outcome.kind]}`;
  return outcome.timedOut ? `${who} is unreachable: connection timed out` : outcome.reason;
}
