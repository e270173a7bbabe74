import { Failure, type FailureDetails, type FailureKind } from "../../core/errors.ts";
import { describeOutcome, headOf, isLate, type Reply } from "../http/outcome.ts";
import type { FailedRequest } from "./failed-request.ts";
import { hintsFor } from "./hints.ts";
import { failureKindOf, isRetryableStatus } from "./status.ts";

/** Returns the Failure of a request that failed (`help exit-codes`). */
export function failureOf(ended: FailedRequest): Failure {
  const { outcome, method } = ended;
  if (outcome.kind === "reply") return failureOfReply(ended, outcome.reply);
  const what = withAttempts(ended, describeOutcome(outcome, ended.baseUrl.host));
  const status = headOf(outcome)?.status;
  const facts = status === undefined ? {} : { status };
  const isUnsent = outcome.kind === "tls" || outcome.kind === "never_sent";
  // The service may have acted: harmless for a GET, an unknown outcome for a POST.
  if (method === "POST" && !isUnsent)
    return makeFailure(ended, "outcome_unknown", what, { ...facts, retryable: false });
  const isUnreachable = isUnsent || outcome.kind === "timeout" || outcome.kind === "reset";
  return makeFailure(ended, isUnreachable ? "unreachable" : "service", what, {
    ...facts,
    ...(isLate(outcome) && { code: "timeout" }),
    retryable: outcome.kind !== "tls",
  });
}

function failureOfReply(ended: FailedRequest, { status }: Reply): Failure {
  const kind = ended.decision.limited ? "rate_limited" : failureKindOf(status, ended.method);
  const code = codeOf(ended, kind);
  const retryable =
    kind === "rate_limited" || (ended.method === "GET" && isRetryableStatus(status));
  const origin = ended.error === undefined ? {} : ({ hasErrorBody: true } as const);
  return makeFailure(ended, kind, describeReply(ended), { code, status, retryable, ...origin });
}

/** Returns the service's own code if it sent one, else that of `help exit-codes`. */
function codeOf({ error, violation }: FailedRequest, kind: FailureKind): string {
  if (error !== undefined && error.code.trim() !== "") return error.code;
  if (kind === "outcome_unknown") return kind;
  if (violation !== undefined) return "bad_response";
  if (kind === "unreachable") return "timeout";
  return kind === "usage" || kind === "rate_limited" ? kind : "bad_response";
}

function describeReply(ended: FailedRequest): string {
  const { outcome, baseUrl, error, location, violation } = ended;
  if (isRejectedKey(ended)) return describeRejection(ended);
  const answered = describeOutcome(outcome, baseUrl.host);
  if (violation !== undefined) return `${answered}, but ${violation}`;
  if (location !== undefined)
    return `${answered}, a redirect to ${location}, which is not followed`;
  const said = error?.message.trim() ?? "";
  return said === "" ? withAttempts(ended, answered) : `${withAttempts(ended, answered)}: ${said}`;
}

function isRejectedKey({ outcome, violation, keyName }: FailedRequest): boolean {
  const isUnauthorized = outcome.kind === "reply" && outcome.reply.status === 401;
  return isUnauthorized && violation === undefined && keyName !== undefined;
}

function describeRejection({ outcome, baseUrl, keyName = "", error }: FailedRequest): string {
  const rejected = `${baseUrl.host} rejected the API key ${keyName} (401)`;
  // That of `pets serve` says no more than this.
  const isOwnStore = outcome.kind === "reply" && outcome.reply.storeId !== undefined;
  const said = isOwnStore ? "" : (error?.message.trim() ?? "");
  return said === "" ? rejected : `${rejected}: ${said}`;
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

/**
 * Returns the Failure of a request that the user or the system cancelled. `reason` is that of the aborted signal;
 * `attempts` is how often the request was sent; with `inDoubt` the message says that an animal may have been added.
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
