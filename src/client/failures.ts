import { Failure, type FailureDetails, type FailureKind } from "../core/errors.ts";
import { isLoopbackHost } from "../core/loopback.ts";
import { formatMoment } from "../core/moment.ts";
import type { ErrorBody } from "../core/error-body.ts";
import type { HttpRequest } from "./http/exchange.ts";
import { describeOutcome, type AttemptOutcome, type Reply } from "./http/outcome.ts";
import type { RetryDecision } from "./retry/policy.ts";
import { failureKindOf, isRetryableStatus } from "./status.ts";

/** How a request that was not cancelled ended, and after how many attempts. */
export interface FinalOutcome {
  readonly outcome: Exclude<AttemptOutcome, { kind: "aborted" }>;
  readonly decision: Extract<RetryDecision, { retry: false }>;
  readonly attempts: number;
}

/** A request that failed, and all that its Failure says. */
export interface FailedRequest extends FinalOutcome {
  readonly method: HttpRequest["method"];
  readonly baseUrl: URL;
  /** When it ended, in ms since the epoch. */
  readonly now: number;
  /** What to do about a key that is refused. */
  readonly keyHint?: string;
  /** The Error body of the reply, without the key. */
  readonly error?: ErrorBody;
  /** Where a redirect points, without the key. */
  readonly location?: string;
  /** What is wrong with the body of a reply that should have been a success. */
  readonly violation?: string;
}

/** Returns the Failure of a request that failed (contract.md, Exit codes). */
export function failureOf(ended: FailedRequest): Failure {
  const { outcome, method } = ended;
  if (outcome.kind === "reply") return failureOfReply(ended, outcome.reply);
  const what = withAttempts(ended, describeOutcome(outcome, ended.baseUrl.host));
  if (outcome.kind === "tls") {
    return makeFailure(ended, "unreachable", what, { code: "network", retryable: false });
  }
  if (outcome.kind === "never_sent") {
    const code = outcome.timedOut ? "timeout" : "network";
    return makeFailure(ended, "unreachable", what, { code, retryable: true });
  }
  const status = "head" in outcome ? outcome.head?.status : undefined;
  const facts = status === undefined ? {} : { status };
  // The service may have acted: harmless after a GET, an unknown outcome after a POST.
  if (method === "POST") {
    return makeFailure(ended, "outcome_unknown", what, { ...facts, retryable: false });
  }
  const [kind, code] = incompleteKinds[outcome.kind];
  return makeFailure(ended, kind, what, { ...facts, code, retryable: true });
}

const incompleteKinds = {
  timeout: ["unreachable", "timeout"],
  reset: ["unreachable", "network"],
  malformed: ["service", "bad_response"],
  cut_off: ["service", "bad_response"],
  too_large: ["service", "bad_response"],
  unreadable: ["service", "bad_response"],
} as const;

function failureOfReply(ended: FailedRequest, { status }: Reply): Failure {
  const kind = ended.decision.limited ? "rate_limited" : failureKindOf(status, ended.method);
  const code = codeOf(ended, kind);
  const retryable =
    kind === "rate_limited" || (ended.method === "GET" && isRetryableStatus(status));
  return makeFailure(ended, kind, describeReply(ended), { code, status, retryable });
}

/** Returns the service's own code if it sent one, else the one of contract.md, Exit codes. */
function codeOf({ error, violation }: FailedRequest, kind: FailureKind): string {
  if (error !== undefined && error.code.trim() !== "") return error.code;
  if (kind === "outcome_unknown") return kind;
  if (violation !== undefined) return "bad_response";
  if (kind === "unreachable") return "timeout";
  return kind === "usage" || kind === "rate_limited" ? kind : "bad_response";
}

function describeReply(ended: FailedRequest): string {
  const { outcome, baseUrl, error, location, violation } = ended;
  const answered = describeOutcome(outcome, baseUrl.host);
  if (violation !== undefined) return `${answered}, but ${violation}`;
  if (location !== undefined)
    return `${answered}, a redirect to ${location}, which is not followed`;
  const said = error?.message.trim() ?? "";
  return said === "" ? withAttempts(ended, answered) : `${withAttempts(ended, answered)}: ${said}`;
}

function withAttempts({ attempts }: FailedRequest, what: string): string {
  return attempts > 1 ? `${what} (tried ${attempts} times)` : what;
}

function makeFailure(
  ended: FailedRequest,
  kind: FailureKind,
  what: string,
  facts: FailureDetails,
): Failure {
  const { attempts, decision } = ended;
  const doubt = kind === "outcome_unknown" ? "; the animal may or may not have been added" : "";
  const retryAt = decision.retryAt === undefined ? {} : { retryAt: decision.retryAt };
  const hints = hintsFor(kind, ended);
  return new Failure(kind, `${what}${doubt}`, { ...facts, ...retryAt, attempts, hints });
}

const addressHint = "check the base URL: it should end in /v1, such as https://example.com/v1";

/** Returns what to do next about a failure of this kind, at most two lines. */
function hintsFor(kind: FailureKind, ended: FailedRequest): readonly string[] {
  if (kind === "auth") return [ended.keyHint ?? "check the API key"];
  if (kind === "rate_limited") return rateLimitHints(ended.decision, ended.now);
  if (kind === "outcome_unknown") return ["check with `pets list` before you add it again"];
  if (kind === "unreachable") return connectionHints(ended);
  if (kind === "service") return replyHints(ended);
  return kind === "not_found" ? notFoundHints(ended) : [];
}

function notFoundHints({ baseUrl, error }: FailedRequest): readonly string[] {
  if (!/\/v1\/*$/.test(baseUrl.pathname))
    return [`Does the base URL end in /v1? It is ${baseUrl.href}`];
  // An Error body comes from the service itself, so the address is right.
  return error === undefined ? [addressHint] : [];
}

/**
 * Returns what to do at `now` about a wait that ends at `retryAt` (both ms since the epoch), if that is
 * known; `exhausted` if a longer `--max-wait` would not have helped.
 */
export function rateLimitHints(
  { retryAt, exhausted }: { readonly retryAt?: number; readonly exhausted?: true },
  now: number,
): readonly string[] {
  const again = "more requests before then may get the key banned";
  const later = exhausted ? "" : ", or allow a longer wait with --max-wait";
  if (retryAt === undefined) return [`try again later${later}`];
  return [`try again at ${formatMoment(retryAt, now)}${later}`, again];
}

function connectionHints({ outcome, baseUrl }: FailedRequest): readonly string[] {
  if (outcome.kind === "never_sent" && outcome.refused && isLoopbackHost(baseUrl.hostname))
    return ["Is the store running? Start it with `pets serve`."];
  if (outcome.kind === "tls") {
    return outcome.certificate
      ? ["for a private certificate authority, set NODE_EXTRA_CA_CERTS to its file"]
      : ["check the base URL: is it an http: address?"];
  }
  if (outcome.kind === "reply") return ["try again later"];
  const late = outcome.kind === "timeout" || (outcome.kind === "never_sent" && outcome.timedOut);
  if (late) return ["allow more time with --timeout, or try again later"];
  if (outcome.kind === "never_sent" && outcome.final)
    return ["check the address and the credentials of the proxy"];
  return ["check the base URL and the network"];
}

function replyHints({ outcome }: FailedRequest): readonly string[] {
  const status = outcome.kind === "reply" ? outcome.reply.status : undefined;
  if (status === undefined || status >= 500) return ["try again later"];
  return [addressHint];
}

/**
 * Returns the Failure of a request that the user or the system cancelled. `reason` is that of the
 * aborted signal; `attempts` is how often the request was sent; with `inDoubt` the message says that an
 * animal may have been added.
 */
export function cancelledFailure(reason: unknown, attempts: number, inDoubt: boolean): Failure {
  const known = reason instanceof Failure ? reason : undefined;
  const { kind, message } = known ?? { kind: "interrupted" as const, message: "interrupted" };
  const facts = { ...known?.facts, ...(attempts > 0 && { attempts }), cause: reason };
  if (!inDoubt) return new Failure(kind, message, facts);
  return new Failure(kind, `${message} while adding: the animal may or may not have been added`, {
    ...facts,
    retryable: false,
    hints: ["check with `pets list` before you add it again"],
  });
}
