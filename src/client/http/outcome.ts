import { statusText } from "../status.ts";
import type { ReplyHead } from "./reply-head.ts";

/** A reply; its body is undefined where it could not be read whole. */
export interface Reply extends ReplyHead {
  readonly body: string | undefined;
}

/** How the body of a successful reply can be broken. */
export type BodyFault = "cut_off" | "too_large" | "unreadable";

/**
 * How one send of a request ended. Nothing was processed after `never_sent` and `tls`; after
 * anything else but a reply the service may have acted.
 *
 * - `reply`: the head of a reply and, for a 2xx, its whole body in UTF-8.
 * - `never_sent`: no connection; `final` where trying again is of no use (a proxy that refuses).
 * - `tls`: no secure connection, as a bad certificate; not to be tried again.
 * - `timeout`: no whole answer in time. `reset`: the connection broke before any of the answer.
 * - `malformed`: what came is no HTTP. `cut_off`, `too_large`, `unreadable`: a 2xx whose body broke
 *   off, is over the bound, or is not what its headers say or no UTF-8.
 * - `aborted`: by the caller; `sent` where it may have been sent.
 */
export type AttemptOutcome =
  | { readonly kind: "reply"; readonly reply: Reply }
  | {
      readonly kind: "never_sent";
      readonly reason: string;
      readonly timedOut: boolean;
      readonly final: boolean;
    }
  | { readonly kind: "tls"; readonly reason: string; readonly certificate: boolean }
  | { readonly kind: "timeout" }
  | { readonly kind: "reset" }
  | { readonly kind: "malformed" }
  | { readonly kind: BodyFault; readonly head: ReplyHead | undefined }
  | { readonly kind: "aborted"; readonly sent: boolean };

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
export function describeOutcome(outcome: AttemptOutcome, who: string): string {
  if (outcome.kind === "reply") return `${who} answered ${statusText(outcome.reply.status)}`;
  if (outcome.kind === "tls") return outcome.reason;
  if (outcome.kind !== "never_sent") return `${who} ${descriptions[outcome.kind]}`;
  return outcome.timedOut ? `${who} could not be reached in time` : outcome.reason;
}
