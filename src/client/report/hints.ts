import type { FailureKind } from "../../core/errors.ts";
import { formatMoment } from "../../core/format.ts";
import { isLoopbackHost } from "../../core/loopback.ts";
import { isLate } from "../http/outcome.ts";
import type { FailedRequest } from "./failed-request.ts";

/** Returns what to do next about a request that failed, at most two lines that are true for its cause. */
export function hintsFor(kind: FailureKind, ended: FailedRequest): readonly string[] {
  if (kind === "auth") return [ended.keyHint ?? "check the API key"];
  if (kind === "rate_limited") return rateLimitHints(ended.decision, ended.now, statusOf(ended));
  if (kind === "outcome_unknown") return ["check with `pets list` before you add it again"];
  if (kind === "unreachable") return connectionHints(ended);
  if (kind === "service") return serviceHints(ended);
  // An Error body comes from the service itself, so the address may be right.
  const isStranger = ended.error === undefined || !endsInVersion(ended.baseUrl);
  return kind === "not_found" && isStranger ? [addressHint(ended.baseUrl)] : [];
}

/**
 * Returns what to do at `now` about a wait that ends at `retryAt` (both ms since the epoch), if that is
 * known; `exhausted` if a longer `--max-wait` would not have helped; `status` is that of the refusal.
 */
export function rateLimitHints(
  { retryAt, exhausted }: { readonly retryAt?: number; readonly exhausted?: true },
  now: number,
  status = 429,
): readonly string[] {
  const later = exhausted ? "" : ", or allow a longer wait with --max-wait";
  if (retryAt === undefined) return [`try again later${later}`];
  const when = `try again at ${formatMoment(retryAt, now)}${later}`;
  return status === 429 ? [when, "more requests before then may get the key banned"] : [when];
}

const startHint = "Is the store running? Start it with `pets serve`.";

const certificateHint = "for a private certificate authority, set NODE_EXTRA_CA_CERTS to its file";

function connectionHints({ outcome, baseUrl }: FailedRequest): readonly string[] {
  if (outcome.kind === "never_sent" && outcome.byProxy)
    return ["check the address and the credentials of the proxy"];
  if (outcome.kind === "never_sent" && outcome.refused && isLoopbackHost(baseUrl.hostname))
    return [startHint];
  if (outcome.kind === "tls") {
    return outcome.certificate
      ? [certificateHint]
      : ["check the base URL: is it an http: address?"];
  }
  if (outcome.kind === "reply") return ["try again later"];
  if (isLate(outcome)) return ["allow more time with --timeout, or try again later"];
  return ["check the base URL and the network"];
}

function serviceHints(ended: FailedRequest): readonly string[] {
  if (ended.inRecord) return ["report it to the operator of the service"];
  const isTrouble = ended.outcome.kind === "cut_off" || (statusOf(ended) ?? 0) >= 500;
  return isTrouble ? ["try again later"] : [addressHint(ended.baseUrl)];
}

/** Returns what to do about a reply that does not look like one of the service. */
function addressHint(baseUrl: URL): string {
  return endsInVersion(baseUrl)
    ? `check the base URL: it is ${baseUrl.href}`
    : `Does the base URL end in /v1? It is ${baseUrl.href}`;
}

function endsInVersion({ pathname }: URL): boolean {
  return /\/v1\/*$/.test(pathname);
}

function statusOf({ outcome }: FailedRequest): number | undefined {
  return outcome.kind === "reply" ? outcome.reply.status : undefined;
}
