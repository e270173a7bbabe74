import { Failure, type FailureDetails, type FailureKind } from "../core/errors.ts";
import { describeOutcome } from "./http/describe.ts";
import { hintsFor } from "./hints.ts";
import type { HttpRequest, Outcome, Reply } from "./http/outcome.ts";
import type { RetryDecision } from "./retry/policy.ts";
import type { ErrorBody } from "../core/pet-shapes.ts";
import { failureKindOf, isRetryableStatus } from "./status.ts";

/** How a request ended for which the command was not ended itself, and after how many sends. */
export interface Settled {
  readonly outcome: Exclude<Outcome, { kind: "aborted" }>;
  readonly verdict: Extract<RetryDecision, { retry: false }>;
  readonly attempts: number;
}

/** A request that did not give what was asked of it, and all that its failure tells. */
export interface FailedRequest extends Settled {
  readonly method: HttpRequest["method"];
  /** Host and port of the service. */
  readonly host: string;
  /** The Error body of the reply, without the key. */
  readonly error?: ErrorBody;
  /** Where a redirect points, without the key. */
  readonly location?: string;
  /** What is wrong with the body of a reply that should have been a success. */
  readonly violation?: string;
}

/** The Failure for a request that ended without what was asked of it (contract.md, Exit codes). */
export function failureOf(ended: FailedRequest): Failure {
  const { outcome, method } = ended;
  if (outcome.kind === "reply") return failureOfReply(ended, outcome.reply);
  const what = withAttempts(ended, describeOutcome(outcome, ended.host));
  if (outcome.kind === "tls") {
    return makeFailure(ended, "unreachable", what, { code: "network", retryable: false });
  }
  if (outcome.kind === "never_sent") {
    const code = outcome.timedOut ? "timeout" : "network";
    return makeFailure(ended, "unreachable", what, { code, retryable: true });
  }
  const status = "head" in outcome ? outcome.head?.status : undefined;
  const facts = status === undefined ? {} : { status };
  // The service may have acted: harmless after a GET, in doubt after a POST.
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
  const kind = ended.verdict.limited ? "rate_limited" : failureKindOf(status, ended.method);
  const code = codeOf(ended, kind);
  const retryable =
    kind === "rate_limited" || (ended.method === "GET" && isRetryableStatus(status));
  return makeFailure(ended, kind, describeReply(ended), { code, status, retryable });
}

/** The service's own code where it sent one; an outcome that is unknown is never called anything else. */
function codeOf({ error, violation }: FailedRequest, kind: FailureKind): string {
  if (kind === "outcome_unknown") return kind;
  if (violation !== undefined) return "bad_response";
  if (error !== undefined && error.code.trim() !== "") return error.code;
  if (kind === "unreachable") return "timeout";
  return kind === "usage" || kind === "rate_limited" ? kind : "bad_response";
}

function describeReply(ended: FailedRequest): string {
  const { outcome, host, error, location, violation } = ended;
  const answered = describeOutcome(outcome, host);
  if (violation !== undefined) return `${answered}, but ${violation}`;
  if (location !== undefined) return `${answered}, a redirect to ${location} that is not followed`;
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
  const { attempts, verdict } = ended;
  const doubt = kind === "outcome_unknown" ? "; the animal may or may not have been added" : "";
  const retryAt = verdict.retryAt === undefined ? {} : { retryAt: verdict.retryAt };
  const hints = hintsFor(kind, ended);
  return new Failure(kind, `${what}${doubt}`, { ...facts, ...retryAt, attempts, hints });
}
