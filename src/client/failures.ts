import { Failure, type FailureKind } from "../core/errors.ts";
import { formatMoment } from "../core/format.ts";
import { isLoopbackHost } from "../core/loopback.ts";
import { type AttemptOutcome, describeOutcome, headOf } from "./http/outcome.ts";
import { encodeHint } from "./http/proxy.ts";
import type { Method } from "./http/sender.ts";
import type { ExchangeOptions } from "./types.ts";

export interface FinalDecision {
  readonly retry: false;
  /** Whether a wait does not fit, or was asked for again after the waits, until `retryAt` (ms since the epoch). */
  readonly limited: boolean;
  readonly retryAt?: number;
  /** No retries were left, so a longer `--max-wait` would not have helped. */
  readonly exhausted?: true;
}

/** How a request that was not cancelled ended, and after how many attempts. */
export interface FinalOutcome {
  readonly outcome: Exclude<AttemptOutcome, { kind: "aborted" | "withheld" }>;
  readonly decision: FinalDecision;
  readonly attempts: number;
}

/** A request that failed, and all that its Failure says. */
export interface FailedRequest
  extends FinalOutcome, Pick<ExchangeOptions, "baseUrl" | "keyHint" | "keyName" | "listCommand"> {
  readonly method: Method;
  readonly now: number;
  readonly proxy?: string | undefined;
  /** The Error body of the reply, without the key. */
  readonly error?: { readonly code: string; readonly message: string };
  /** What another body says of itself (RFC 9457, or a gateway's own form), without the key. */
  readonly said?: string;
  readonly location?: string;
  /** What is wrong with the body of a reply that should have been a success. */
  readonly violation?: string;
  /** True if only an animal in the body breaks the rules, so that the address is right. */
  readonly inRecord?: boolean;
}

type Hint = string | readonly string[];

interface Meaning {
  /** It decides the exit code (core/errors.ts). */
  readonly kind: FailureKind;
  /** Whether the same command cannot be run again safely. */
  readonly isFinal?: boolean;
  /** What to do next: at most two lines that are true for the cause. */
  readonly hint?: Hint | ((failed: FailedRequest) => Hint);
  /** The code in JSON where the service sent none; by default that of the kind. */
  readonly code?: string;
  /** Whether a POST may have added the animal: then it means `unknown` instead. */
  readonly inDoubt?: boolean;
}

const unknown: Meaning = { kind: "outcome_unknown", isFinal: true, hint: checkHint };
const unreachable = { kind: "unreachable", hint: "Check the base URL and the network." } as const;
const moreTime = "Allow more time with `--timeout`, or try again later.";
const slow = { kind: "unreachable", hint: moreTime, code: "timeout" } as const;
const tls = { kind: "unreachable", isFinal: true, hint: "Report it to its operator." } as const;
const notTheApi = { kind: "service", hint: addressHint, inDoubt: true } as const;
const must = "The service, or a proxy before it, must";
const wrongAddress = { kind: "service", isFinal: true, hint: addressHint } as const;
const broken = { kind: "service", hint: "Try again later." } as const;
const rejected = { kind: "auth", isFinal: true, hint: keyHints, code: "bad_response" } as const;
const limitHints = ({ decision, now, outcome }: FailedRequest): readonly string[] =>
  waitHints(decision, now, headOf(outcome)?.status);

/** The ways to fail (`help exit-codes`), and what each means. A status that is not here is in the row of its hundred. */
const failures = {
  // Nothing was sent.
  notRunning: { kind: "unreachable", hint: "Is the store running? Start it with `pets serve`." },
  refused: unreachable,
  unreachable,
  timedOut: slow,
  lookUpTimedOut: { ...slow, hint: "Check the network, and the name server of this machine." },
  proxy: { kind: "unreachable", hint: "Check the proxy's address: http: or https:, host, port." },
  proxyLogin: { kind: "unreachable", hint: ["Check the proxy's user and password.", encodeHint] },
  proxyTimedOut: { ...slow, hint: ["Is the proxy running?", moreTime] },
  expired: { ...tls, hint: "Check the clock of this machine, then ask its operator to renew it." },
  otherHost: { ...tls, hint: "Check the host name in the base URL." },
  authority: {
    ...tls,
    hint: [
      "To trust the certificate authorities of the system, set NODE_USE_SYSTEM_CA=1.",
      "For a private one, set NODE_EXTRA_CA_CERTS to its file.",
    ],
  },
  certificate: tls,
  oldTls: { ...tls, hint: "Its operator must enable TLS 1.2 or later." },
  clientCertificate: { ...tls, hint: "pets has none: ask its operator for an address without." },
  onlyHttp2: { ...tls, hint: "pets uses HTTP/1.1: its operator must allow that as well." },
  noTls: { ...tls, hint: "Check the base URL: is it an http: address?" },
  tls: { ...tls, hint: "Ask its operator: it may require a client certificate or other ciphers." },
  // No complete response.
  timeout: { ...slow, inDoubt: true },
  reset: { ...unreachable, inDoubt: true },
  cut_off: { ...broken, inDoubt: true },
  malformed: notTheApi,
  headers_too_long: { ...notTheApi, hint: `${must} send shorter headers.` },
  compressed: { ...notTheApi, hint: `${must} not compress its response.` },
  too_large: notTheApi,
  unreadable: notTheApi,
  // A success whose body is not what the API promises: an animal in it, or all of it.
  badRecord: { ...broken, hint: "Report it to the operator of the service.", inDoubt: true },
  200: notTheApi,
  300: wrongAddress,
  303: { ...wrongAddress, inDoubt: true },
  400: { kind: "rejected", isFinal: true },
  401: rejected,
  403: rejected,
  404: { kind: "not_found", isFinal: true, hint: missingHint, code: "bad_response" },
  405: wrongAddress,
  408: { ...slow, hint: "Try again later.", inDoubt: true },
  410: wrongAddress,
  429: { kind: "rate_limited", hint: limitHints },
  500: { ...broken, inDoubt: true },
  501: broken,
  505: broken,
  511: broken,
} satisfies Readonly<Record<Exclude<EndKind, "reply" | "never_sent">, Meaning>> &
  Readonly<Record<string, Meaning>>;

type EndKind = FinalOutcome["outcome"]["kind"];
type MeaningKey = keyof typeof failures;

function meaningKey({ outcome, decision, baseUrl, inRecord }: FailedRequest): MeaningKey {
  if (outcome.kind === "never_sent") {
    const { problem } = outcome;
    return problem === "refused" && isLoopbackHost(baseUrl.hostname) ? "notRunning" : problem;
  }
  if (outcome.kind !== "reply") return outcome.kind;
  // A 503 may ask for a wait as well.
  if (decision.limited) return 429;
  if (inRecord) return "badRecord";
  const { status } = outcome.reply;
  return [status, Math.floor(status / 100) * 100].find(isStatusKey) ?? 500;
}

function isStatusKey(status: number): status is Extract<MeaningKey, number> {
  return Object.hasOwn(failures, status);
}

/** Returns the failure of a request, with its kind, code and hints. */
export function failureOf(failed: FailedRequest): Failure {
  const { outcome, method, attempts, decision, error } = failed;
  const { retryAt = forbiddenUntil(outcome) } = decision;
  const meaning: Meaning = failures[meaningKey(failed)];
  const isUnknown = method === "POST" && meaning.inDoubt === true;
  const { kind, isFinal = false, hint = [], code } = isUnknown ? unknown : meaning;
  const status = headOf(outcome)?.status;
  const said = error?.code.trim() && error.code;
  const doubt = isUnknown ? "; the animal may or may not have been added" : "";
  return new Failure(kind, `${describe(failed)}${doubt}`, {
    ...(said ? { code: said } : code !== undefined && { code }),
    ...(status !== undefined && { status }),
    ...(error !== undefined && { hasErrorBody: true }),
    ...(retryAt !== undefined && { retryAt }),
    retryable: !isFinal || retryAt !== undefined,
    attempts,
    hints: [typeof hint === "function" ? hint(failed) : hint].flat(),
  });
}

function describe(failed: FailedRequest): string {
  const { outcome, baseUrl, attempts, error, location, violation, keyName, proxy } = failed;
  const what = describeOutcome(outcome, baseUrl.host);
  const isNamed = outcome.kind === "reply" || proxy === undefined || what.includes(proxy);
  const ended = isNamed ? what : `${what}, through ${proxy}`;
  if (violation !== undefined) return `${ended}, but ${violation}`;
  if (location !== undefined) return `${ended}, a redirect to ${location}, which is not followed`;
  const text = (error?.message ?? failed.said ?? "").trim();
  const said = text && `: ${text}`;
  if (headOf(outcome)?.status !== 401 || keyName === undefined)
    return `${ended}${attempts > 1 ? ` (tried ${attempts} times)` : ""}${said}`;
  return `${baseUrl.host} rejected ${keyName} (401)${said}`;
}

/** Returns what to do about a rejected key: nothing before the time that a 403 names, else what the options say. */
function keyHints({ keyHint = "Check the API key.", outcome, now }: FailedRequest) {
  const retryAt = forbiddenUntil(outcome);
  return retryAt === undefined ? keyHint : waitHints({ retryAt, exhausted: true }, now, 403);
}

/** Returns until when a 403 says that the key is banned, in ms since the epoch. */
function forbiddenUntil(outcome: AttemptOutcome): number | undefined {
  const { status, retryAfter, receivedAt = 0 } = headOf(outcome) ?? {};
  return status === 403 && retryAfter !== undefined ? receivedAt + retryAfter : undefined;
}

function checkHint({ listCommand = "pets list" }: Pick<ExchangeOptions, "listCommand">): string {
  return `Check with \`${listCommand}\` before you add it again.`;
}

function addressHint({ baseUrl }: FailedRequest): string {
  return versionPath.test(baseUrl.pathname)
    ? `Check the base URL: it is ${baseUrl.href}.`
    : `Does the base URL end in /v1? It is ${baseUrl.href}.`;
}

/** A 404 with an Error body comes from the service itself, so the address may be right. */
function missingHint(failed: FailedRequest): Hint {
  return failed.error && versionPath.test(failed.baseUrl.pathname) ? [] : addressHint(failed);
}

export const versionPath = /\/v1\/*$/;

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
  options: Pick<ExchangeOptions, "listCommand"> = {},
): Failure {
  const known = reason instanceof Failure ? reason : new Failure("interrupted", "interrupted");
  const facts = { ...(attempts > 0 && { attempts }), cause: reason };
  if (!inDoubt) return known.with(facts);
  return known.with(
    { ...facts, retryable: false, hints: [checkHint(options)] },
    `${known.message}; the animal may or may not have been added`,
  );
}
