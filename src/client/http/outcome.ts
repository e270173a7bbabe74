import { STATUS_CODES } from "node:http";
import type { ReplyHead } from "./reply-head.ts";

/** How one attempt ended. Except for `never_sent` and `withheld`, the service may have acted. */
export type AttemptOutcome =
  /** The head of a reply and, for a 2xx, its complete body in UTF-8. */
  | { readonly kind: "reply"; readonly reply: ReplyHead & { readonly body: string | undefined } }
  | {
      readonly kind: "never_sent";
      readonly reason: string;
      readonly problem:
        | ("unreachable" | "refused" | "timedOut" | "lookUpTimedOut")
        // Of the proxy: it can't be used, rejects the user or password, or did not connect in time.
        | ("proxy" | "proxyLogin" | "proxyTimedOut")
        // Of a certificate: its time, its name, who issued it, something else.
        | ("expired" | "otherHost" | "authority" | "certificate")
        // Of TLS: a version before 1.2, no TLS at all, a certificate of ours is required, something else.
        | ("oldTls" | "noTls" | "clientCertificate" | "tls")
        | "onlyHttp2";
      /** It is useless to try again. */
      readonly final?: boolean;
    }
  /** No complete reply in time; the connection broke before any byte of a reply; a reply that is not HTTP. */
  | { readonly kind: "timeout" | "reset" | "malformed" | "headers_too_long" }
  /** A 2xx whose body is incomplete, over the maximum, compressed, or not as its headers say or not UTF-8. */
  | {
      readonly kind: "cut_off" | "too_large" | "compressed" | "unreadable";
      readonly head: ReplyHead | undefined;
    }
  /** By the caller, once connected: its hook forbade to send. */
  | { readonly kind: "withheld" }
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
  headers_too_long: "sent a response with headers over 16 KiB",
  too_large: "sent a response over 8 MiB",
  compressed: "sent a compressed response",
  unreadable: "sent a response that cannot be decoded",
  withheld: "was not asked: another process hit a rate limit meanwhile",
  aborted: "had not responded when the request was cancelled",
} as const;

/** Returns how connecting to `peer` in vain ends, which takes the proxy named `proxy`, if any. */
export function timedOut(peer: string, proxy?: string) {
  const via = proxy === undefined ? "" : ` through ${proxy}`;
  const problem = proxy === undefined ? "timedOut" : "proxyTimedOut";
  const reason = `${peer} is unreachable${via}: connection timed out`;
  return { kind: "never_sent", reason, problem } as const;
}

/** Returns how a request to `peer` ends that understands no other version of HTTP: it read none of it. */
export function onlyHttp2(peer: string) {
  const reason = `${peer} speaks only HTTP/2`;
  return { kind: "never_sent", reason, problem: "onlyHttp2", final: true } as const;
}

/** Returns the status with its registered name, such as `404 Not Found`. */
export function statusText(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ""}`.trim();
}

/** Returns for the user how an attempt ended: `who` (the service, or its host) and what it did. */
export function describeOutcome(outcome: AttemptOutcome, who: string): string {
  if (outcome.kind === "reply") return `${who} responded with ${statusText(outcome.reply.status)}`;
  if (outcome.kind !== "never_sent") return `${who} ${descriptions[outcome.kind]}`;
  return outcome.problem === "timedOut" ? timedOut(who).reason : outcome.reason;
}
