import { STATUS_CODES } from "node:http";
import type { ReplyHead } from "./reply-head.ts";

/** A reply; its body is undefined if it could not be read completely. */
interface Reply extends ReplyHead {
  readonly body: string | undefined;
}

type BodyFault = "cut_off" | "too_large" | "unreadable";

/**
 * How one attempt ended. The service did nothing after `never_sent` and `tls`; without a reply it may
 * have acted in all other cases.
 *
 * - `reply`: the head of a reply and, for a 2xx, its complete body in UTF-8.
 * - `never_sent`: no connection; `final` if it is useless to try again (a proxy that refuses),
 *   `refused` if nothing listens there, `byProxy` if it is the proxy that can't be used.
 * - `tls`: no secure connection, for example a bad certificate; not tried again.
 * - `timeout`: no complete reply in time. `reset`: the connection broke before any byte of a reply.
 * - `malformed`: not HTTP. `cut_off`, `too_large`, `unreadable`: a 2xx whose body is incomplete, over the
 *   maximum, or not as its headers say or not UTF-8.
 * - `aborted`: by the caller; `sent` if it may have been sent.
 */
export type AttemptOutcome =
  | { readonly kind: "reply"; readonly reply: Reply }
  | {
      readonly kind: "never_sent";
      readonly reason: string;
      readonly timedOut?: boolean;
      readonly final?: boolean;
      readonly refused?: boolean;
      readonly byProxy?: boolean;
    }
  | { readonly kind: "tls"; readonly reason: string; readonly certificate: boolean }
  | { readonly kind: "timeout" }
  | { readonly kind: "reset" }
  | { readonly kind: "malformed" }
  | { readonly kind: BodyFault; readonly head: ReplyHead | undefined }
  | { readonly kind: "aborted"; readonly sent: boolean };

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
