import type { FailureKind } from "../core/errors.ts";
import type { FailedRequest } from "./failures.ts";

const addressHint = "check the base URL: it ends in the version, as in https://example.com/v1";

/** What to do next about a failure of this kind, a line each, at most two. */
export function hintsFor(kind: FailureKind, ended: FailedRequest): readonly string[] {
  if (kind === "auth") return ["give a valid key with `pets login`, or in PETS_API_KEY"];
  if (kind === "rate_limited") return rateLimitHints(ended.verdict);
  if (kind === "outcome_unknown") return ["look for it with `pets list` before you add it again"];
  if (kind === "unreachable") return connectionHints(ended);
  if (kind === "service") return replyHints(ended);
  // An Error body comes from the service itself, so the address is right.
  return kind === "not_found" && ended.error === undefined ? [addressHint] : [];
}

/**
 * What to do about a wait that is over at `retryAt` (ms since the epoch), where that is known;
 * `exhausted` where no longer `--max-wait` would have helped.
 */
export function rateLimitHints({
  retryAt,
  exhausted,
}: {
  readonly retryAt?: number;
  readonly exhausted?: true;
}): readonly string[] {
  const again = "more requests before then may get the key banned";
  const later = exhausted ? "" : ", or allow a longer wait with --max-wait";
  if (retryAt === undefined) return [`try again later${later}`];
  const moment = new Date(Math.ceil(retryAt / 1000) * 1000).toISOString().replace(".000Z", "Z");
  return [`try again from ${moment}${later}`, again];
}

function connectionHints({ outcome }: FailedRequest): readonly string[] {
  if (outcome.kind === "tls") {
    return outcome.certificate
      ? ["if its certificate comes from an authority of your own, name it in NODE_EXTRA_CA_CERTS"]
      : ["check the base URL: is it an http: address?"];
  }
  if (outcome.kind === "reply") return ["try again later"];
  const late = outcome.kind === "timeout" || (outcome.kind === "never_sent" && outcome.timedOut);
  if (late) return ["allow more time with --timeout, or try again later"];
  if (outcome.kind === "never_sent" && outcome.final)
    return ["check the proxy's address and log-in"];
  return ["check the base URL and the network"];
}

function replyHints({ outcome }: FailedRequest): readonly string[] {
  const status = outcome.kind === "reply" ? outcome.reply.status : undefined;
  if (status === undefined || status >= 500) return ["try again later"];
  return [addressHint];
}
