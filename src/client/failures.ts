import { Failure, type FailureKind } from "../core/errors.ts";
import { formatMoment } from "../core/format.ts";
import { isLoopbackHost } from "../core/loopback.ts";
import { type AttemptOutcome, describeOutcome, headOf } from "./http/outcome.ts";
import type { HttpRequest } from "./http/sender.ts";
import type { PetsApiOptions } from "./types.ts";

/**
 * Why a request is not sent again. `limited` means that the service asks for a wait that does not fit, or asks again
 * after the waits; `retryAt` is the time that it named, in ms since the epoch; `exhausted` means that no retries were
 * left, so a longer `--max-wait` would not have helped.
 */
export interface FinalDecision {
  readonly retry: false;
  readonly limited: boolean;
  readonly exhausted?: true;
  readonly retryAt?: number;
}

/** How a request that was not cancelled ended, and after how many attempts. */
export interface FinalOutcome {
  readonly outcome: Exclude<AttemptOutcome, { kind: "aborted" }>;
  readonly decision: FinalDecision;
  readonly attempts: number;
}

/** A request that failed, and all that its Failure says. */
export interface FailedRequest
  extends FinalOutcome, Pick<PetsApiOptions, "baseUrl" | "keyHint" | "keyName"> {
  readonly method: HttpRequest["method"];
  /** When it ended, in ms since the epoch. */
  readonly now: number;
  /** The Error body of the reply, without the key. */
  readonly error?: { readonly code: string; readonly message: string };
  /** Where a redirect points, without the key. */
  readonly location?: string;
  /** What is wrong with the body of a reply that should have been a success. */
  readonly violation?: string;
  /** True if only an animal in the body breaks the rules, so that the address is right. */
  readonly inRecord?: boolean;
}

/** What one way to fail means. */
interface Meaning {
  /** Its exit code is in core/errors.ts. */
  readonly kind: FailureKind;
  /** The code in JSON, where the service sent none. */
  readonly code: string;
  /** Whether the same command may be given again without harm. */
  readonly retryable: boolean;
  /** What to do next, at most two lines that are true for this cause. */
  readonly hint: string | undefined | ((failed: FailedRequest) => readonly string[]);
}

const meaning = (
  kind: FailureKind,
  code: string,
  retryable: boolean,
  hint?: Meaning["hint"],
): Meaning => ({ kind, code, retryable, hint });

/** The same for a POST as for a GET: the service did nothing. */
const both = (...row: Parameters<typeof meaning>) => [meaning(...row), meaning(...row)] as const;

/** Exit 8: the service may have carried out a POST. What a GET means instead is `row`. */
const orUnknown = (...row: Parameters<typeof meaning>) =>
  [meaning(...row), outcomeUnknown] as const;
const checkHint = "check with `pets list` before you add it again";
const outcomeUnknown = meaning("outcome_unknown", "outcome_unknown", false, checkHint);

/** The service did nothing; a GET may be given again. */
const orRefused = (kind: FailureKind, code: string, hint?: Meaning["hint"]) =>
  [meaning(kind, code, true, hint), meaning(kind, code, false, hint)] as const;

const later = "try again later";
const moreTime = "allow more time with --timeout, or try again later";
const network = "check the base URL and the network";
const addressHint = ({ baseUrl }: FailedRequest): readonly string[] => [
  endsInVersion(baseUrl)
    ? `check the base URL: it is ${baseUrl.href}`
    : `Does the base URL end in /v1? It is ${baseUrl.href}`,
];
/** What to do about a rejected key; its text comes from `keyHint` in config/connection.ts. */
const keyHint = ({ keyHint: hint = "check the API key" }: FailedRequest) => [hint];

/**
 * The table of failures (`help exit-codes`): each way to fail, and what it means for a GET and for a POST. Statuses
 * that are not in it are in the rows of their hundreds.
 */
const failures = {
  // Nothing was sent.
  notRunning: both(
    "unreachable",
    "network",
    true,
    "Is the store running? Start it with `pets serve`.",
  ),
  proxy: both("unreachable", "network", true, "check the address and the credentials of the proxy"),
  certificate: both(
    "unreachable",
    "network",
    false,
    "for a private certificate authority, set NODE_EXTRA_CA_CERTS to its file",
  ),
  tls: both("unreachable", "network", false, "check the base URL: is it an http: address?"),
  connectTimeout: both("unreachable", "timeout", true, moreTime),
  never_sent: both("unreachable", "network", true, network),
  // No complete response.
  timeout: orUnknown("unreachable", "timeout", true, moreTime),
  reset: orUnknown("unreachable", "network", true, network),
  cut_off: orUnknown("service", "bad_response", true, later),
  malformed: orUnknown("service", "bad_response", true, addressHint),
  too_large: orUnknown("service", "bad_response", true, addressHint),
  unreadable: orUnknown("service", "bad_response", true, addressHint),
  // A success whose body is not what the API promises: an animal in it, or all of it.
  badRecord: orUnknown("service", "bad_response", true, "report it to the operator of the service"),
  200: orUnknown("service", "bad_response", true, addressHint),
  300: both("service", "bad_response", false, addressHint),
  303: orUnknown("service", "bad_response", false, addressHint),
  400: both("usage", "usage", false),
  401: both("auth", "bad_response", false, keyHint),
  403: both("auth", "bad_response", false, keyHint),
  404: both("not_found", "bad_response", false, strangerHint),
  405: both("service", "bad_response", false, addressHint),
  408: orUnknown("unreachable", "timeout", true, later),
  410: both("service", "bad_response", false, addressHint),
  429: both("rate_limited", "rate_limited", true, rateLimitHints),
  500: orUnknown("service", "bad_response", true, later),
  // The service did not understand the request.
  501: orRefused("service", "bad_response", later),
  505: orRefused("service", "bad_response", later),
  511: orRefused("service", "bad_response", later),
} satisfies Readonly<Record<Exclude<AttemptOutcome["kind"], "reply" | "aborted">, unknown>> &
  Readonly<Record<string, readonly [get: Meaning, post: Meaning]>>;

type Way = keyof typeof failures;

function wayOf({ outcome, decision, baseUrl, inRecord }: FailedRequest): Way {
  if (outcome.kind === "tls") return outcome.certificate ? "certificate" : "tls";
  if (outcome.kind === "never_sent") {
    if (outcome.byProxy) return "proxy";
    if (outcome.refused && isLoopbackHost(baseUrl.hostname)) return "notRunning";
    return outcome.timedOut ? "connectTimeout" : "never_sent";
  }
  if (outcome.kind !== "reply") return outcome.kind;
  // A 503 may ask for a wait as well.
  if (decision.limited) return 429;
  if (inRecord) return "badRecord";
  const { status } = outcome.reply;
  return [status, Math.floor(status / 100) * 100].find(isStatusWay) ?? 500;
}

function isStatusWay(status: number): status is Extract<Way, number> {
  return Object.hasOwn(failures, status);
}

/** Returns the Failure of a request that failed. */
export function failureOf(failed: FailedRequest): Failure {
  const { outcome, method, attempts, decision, error } = failed;
  const [get, post] = failures[wayOf(failed)];
  const { kind, code, retryable, hint } = method === "GET" ? get : post;
  const status = headOf(outcome)?.status;
  const doubt = kind === "outcome_unknown" ? "; the animal may or may not have been added" : "";
  const hints = typeof hint === "function" ? hint(failed) : hint === undefined ? [] : [hint];
  return new Failure(kind, `${describe(failed)}${doubt}`, {
    code: error?.code.trim() ? error.code : code,
    ...(status !== undefined && { status }),
    ...(error !== undefined && { hasErrorBody: true }),
    ...(decision.retryAt !== undefined && { retryAt: decision.retryAt }),
    retryable,
    attempts,
    hints,
  });
}

function describe(failed: FailedRequest): string {
  const { outcome, baseUrl, attempts, error, location, violation, keyName } = failed;
  const answered = describeOutcome(outcome, baseUrl.host);
  if (violation !== undefined) return `${answered}, but ${violation}`;
  if (location !== undefined)
    return `${answered}, a redirect to ${location}, which is not followed`;
  const isRejectedKey = headOf(outcome)?.status === 401 && keyName !== undefined;
  const tried = attempts > 1 ? `${answered} (tried ${attempts} times)` : answered;
  const what = isRejectedKey ? `${baseUrl.host} rejected the API key ${keyName} (401)` : tried;
  // The 401 of `pets serve` says no more than this.
  const isSaid = isRejectedKey && headOf(outcome)?.storeId !== undefined;
  const said = isSaid ? "" : (error?.message.trim() ?? "");
  return said === "" ? what : `${what}: ${said}`;
}

/** A 404 with an Error body comes from the service itself, so the address may be right. */
function strangerHint(failed: FailedRequest): readonly string[] {
  const isStranger = failed.error === undefined || !endsInVersion(failed.baseUrl);
  return isStranger ? addressHint(failed) : [];
}

function endsInVersion({ pathname }: URL): boolean {
  return /\/v1\/*$/.test(pathname);
}

function rateLimitHints({ decision, now, outcome }: FailedRequest): readonly string[] {
  return waitHints(decision, now, headOf(outcome)?.status);
}

/**
 * Returns what to do at `now` about a wait that ends at `retryAt` (both ms since the epoch), if that is
 * known; `exhausted` if a longer `--max-wait` would not have helped; `status` is that of the refusal.
 */
export function waitHints(
  { retryAt, exhausted }: { readonly retryAt?: number; readonly exhausted?: true },
  now: number,
  status = 429,
): readonly string[] {
  const longer = exhausted ? "" : ", or allow a longer wait with --max-wait";
  if (retryAt === undefined) return [`${later}${longer}`];
  const when = `try again at ${formatMoment(retryAt, now)}${longer}`;
  return status === 429 ? [when, "more requests before then may get the key banned"] : [when];
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
    hints: [checkHint],
  });
}
