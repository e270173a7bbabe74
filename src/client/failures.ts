import { Failure, type FailureKind } from "../core/errors.ts";
import { formatMoment } from "../core/format.ts";
import { isLoopbackHost } from "../core/loopback.ts";
import { type AttemptOutcome, describeOutcome, headOf } from "./http/outcome.ts";
import type { HttpRequest } from "./http/sender.ts";
import type { PetsApiOptions } from "./types.ts";

/**
 * Why a request is not sent again: `limited` if a wait does not fit, or was asked for again after the waits, until
 * `retryAt` (ms since the epoch); `exhausted` if no retries were left, so a longer `--max-wait` would not have helped.
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
  extends FinalOutcome, Pick<PetsApiOptions, "baseUrl" | "keyHint" | "keyName" | "listCommand"> {
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

/** What to do next: at most two lines that are true for the cause. */
type Hint = string | ((failed: FailedRequest) => readonly string[]);

/** What one way to fail means. */
interface Meaning {
  /** It decides the exit code (core/errors.ts). */
  readonly kind: FailureKind;
  /** Whether the same command can be run again safely. */
  readonly retryable: boolean;
  readonly hint: Hint | undefined;
  /** The code in JSON where the service sent none; by default that of the kind. */
  readonly code: string | undefined;
  /** Whether a POST may have added the animal: then it means `unknown` instead. */
  readonly inDoubt: boolean;
}

const always = (kind: FailureKind, retryable: boolean, hint?: Hint, code?: string): Meaning => ({
  kind,
  retryable,
  hint,
  code,
  inDoubt: false,
});
const orUnknown = (...row: Parameters<typeof always>): Meaning => ({
  ...always(...row),
  inDoubt: true,
});
const unknown = always("outcome_unknown", false, checkHint);

const certificateHint = "For a private certificate authority, set NODE_EXTRA_CA_CERTS to its file.";
const moreTime = "Allow more time with `--timeout`, or try again later.";
const network = "Check the base URL and the network.";

/** The ways to fail (`help exit-codes`), and what each means. A status that is not here is in the row of its hundred. */
const failures = {
  // Nothing was sent.
  notRunning: always("unreachable", true, "Is the store running? Start it with `pets serve`."),
  proxy: always("unreachable", true, "Check the address and the credentials of the proxy."),
  certificate: always("unreachable", false, certificateHint),
  tls: always("unreachable", false, "Check the base URL: is it an http: address?"),
  connectTimeout: always("unreachable", true, moreTime, "timeout"),
  never_sent: always("unreachable", true, network),
  // No complete response.
  timeout: orUnknown("unreachable", true, moreTime, "timeout"),
  reset: orUnknown("unreachable", true, network),
  cut_off: orUnknown("service", true, "Try again later."),
  malformed: orUnknown("service", true, addressHint),
  too_large: orUnknown("service", true, addressHint),
  unreadable: orUnknown("service", true, addressHint),
  // A success whose body is not what the API promises: an animal in it, or all of it.
  badRecord: orUnknown("service", true, "Report it to the operator of the service."),
  200: orUnknown("service", true, addressHint),
  300: always("service", false, addressHint),
  303: orUnknown("service", false, addressHint),
  400: always("usage", false),
  401: always("auth", false, rejectedKeyHint, "bad_response"),
  403: always("auth", false, rejectedKeyHint, "bad_response"),
  404: always("not_found", false, strangerHint, "bad_response"),
  405: always("service", false, addressHint),
  408: orUnknown("unreachable", true, "Try again later.", "timeout"),
  410: always("service", false, addressHint),
  429: always("rate_limited", true, rateLimitHints),
  500: orUnknown("service", true, "Try again later."),
  501: always("service", true, "Try again later."),
  505: always("service", true, "Try again later."),
  511: always("service", true, "Try again later."),
} satisfies Readonly<Record<Exclude<AttemptOutcome["kind"], "reply" | "aborted">, Meaning>> &
  Readonly<Record<string, Meaning>>;

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
  const meaning = failures[wayOf(failed)];
  const { kind, retryable, hint, code } = method === "POST" && meaning.inDoubt ? unknown : meaning;
  const status = headOf(outcome)?.status;
  const said = error?.code.trim() && error.code;
  const doubt = kind === "outcome_unknown" ? "; the animal may or may not have been added" : "";
  const hints = typeof hint === "function" ? hint(failed) : hint === undefined ? [] : [hint];
  return new Failure(kind, `${describe(failed)}${doubt}`, {
    ...(said ? { code: said } : code !== undefined && { code }),
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
  const ended = describeOutcome(outcome, baseUrl.host);
  if (violation !== undefined) return `${ended}, but ${violation}`;
  if (location !== undefined) return `${ended}, a redirect to ${location}, which is not followed`;
  const said = error?.message.trim() ? `: ${error.message.trim()}` : "";
  if (headOf(outcome)?.status !== 401 || keyName === undefined)
    return `${ended}${attempts > 1 ? ` (tried ${attempts} times)` : ""}${said}`;
  // A store of `pets serve` says no more than this.
  const isStore = headOf(outcome)?.storeId !== undefined;
  return `${baseUrl.host} rejected the API key ${keyName} (401)${isStore ? "" : said}`;
}

/** What to do about a 401 or 403: `describeKey` in config/connection.ts knows where the key comes from. */
function rejectedKeyHint({ keyHint = "Check the API key." }: FailedRequest): readonly string[] {
  return [keyHint];
}

/** Returns how to find out whether an animal was added. */
function checkHint({
  listCommand = "pets list",
}: Pick<PetsApiOptions, "listCommand">): readonly string[] {
  return [`Check with \`${listCommand}\` before you add it again.`];
}

/** Returns what to do about a reply that does not look like one of the service. */
function addressHint({ baseUrl }: FailedRequest): readonly string[] {
  return endsInVersion(baseUrl)
    ? [`Check the base URL: it is ${baseUrl.href}.`]
    : [`Does the base URL end in /v1? It is ${baseUrl.href}.`];
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

/** Returns what to do at `now` about a wait until `retryAt` (ms since the epoch, if known), for which `status` asked. */
export function waitHints(
  { retryAt, exhausted }: { readonly retryAt?: number; readonly exhausted?: true },
  now: number,
  status = 429,
): readonly string[] {
  const longer = exhausted ? "" : ", or allow a longer wait with `--max-wait`";
  if (retryAt === undefined) return [`Try again later${longer}.`];
  const when = `Try again at ${formatMoment(retryAt, now)}${longer}.`;
  return status === 429 ? [when, "More requests before then may get the key banned."] : [when];
}

/** Returns the Failure of a request cancelled for `reason`; `inDoubt` if one of its sends may have added an animal. */
export function cancelledFailure(
  reason: unknown,
  attempts: number,
  inDoubt: boolean,
  options: Pick<PetsApiOptions, "listCommand"> = {},
): Failure {
  const known = reason instanceof Failure ? reason : undefined;
  const { kind, message } = known ?? { kind: "interrupted" as const, message: "interrupted" };
  const facts = { ...known?.facts, ...(attempts > 0 && { attempts }), cause: reason };
  if (!inDoubt) return new Failure(kind, message, facts);
  return new Failure(kind, `${message} while adding: the animal may or may not have been added`, {
    ...facts,
    retryable: false,
    hints: checkHint(options),
  });
}
