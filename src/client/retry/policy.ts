import type { ReplyInfo } from "../../rate-limiter/rules/records.ts";
import type { FinalDecision } from "../failures.ts";
import type { AttemptOutcome } from "../http/outcome.ts";
import type { ReplyHead } from "../http/reply-head.ts";
import type { Method } from "../http/sender.ts";
import type { PetsApiOptions } from "../types.ts";

/** What went wrong with an attempt, if another one may help. */
export type RetryCause = "rate_limited" | "unavailable" | "never_sent" | "transient" | "timeout";

/** All that the rules depend on. `now` is ms since the epoch, `random` from 0 up to 1. */
export interface RetryCase extends Pick<PetsApiOptions, "maxSends" | "random"> {
  readonly method: Method;
  readonly outcome: AttemptOutcome;
  readonly isLocal: boolean;
  readonly requested: RequestedDelay | undefined;
  /** How long no process may send with this key, by the state that all share. */
  readonly backoffMs: number;
  readonly history: readonly RetryCause[];
  /** How many requests of this client were refused in a row, this one included. */
  readonly refusals: number;
  /** How long its waits may still take. */
  readonly roomMs: number;
  readonly now: number;
}

export interface RequestedDelay {
  /** It must fit the budget. */
  readonly ms: number;
  /** Is added if there is room. */
  readonly extraMs: number;
  /** No process may send for this long: the user and other processes see it. */
  readonly announcedMs: number;
}

export type RetryDecision =
  | FinalDecision
  | { readonly retry: true; readonly cause: RetryCause; readonly delayMs: number };

/** How often each is tried again; `unavailable` counts as transient (`help rate-limits`). */
const maxRetries = { rate_limited: 2, never_sent: 3, transient: 3, timeout: 1 } as const;

/** A proxy before the service says 520 to 530 where others say 502. */
const isTransient = (status: number): boolean =>
  [408, 500, 502, 503, 504].includes(status) || (status >= 520 && status <= 530);

const causes: Readonly<Partial<Record<AttemptOutcome["kind"], RetryCause>>> = {
  timeout: "timeout",
  reset: "transient",
  cut_off: "transient",
  malformed: "transient",
};

/** Decides by the table of `help rate-limits` whether a request is sent again, and after how long. */
export function decideRetry(facts: RetryCase): RetryDecision {
  const cause = causeOf(facts);
  if (cause === undefined) return { retry: false, limited: false };
  const { requested, backoffMs, roomMs, now } = facts;
  // Another request may have been asked for a longer delay.
  const announcedMs = requested && Math.max(requested.announcedMs, backoffMs);
  const retryAt = announcedMs !== undefined && { retryAt: now + Math.ceil(announcedMs) };
  if (retriesExhausted(cause, facts))
    return { retry: false, limited: cause === "rate_limited", exhausted: true, ...retryAt };
  const minMs = requested ? Math.max(requested.ms, backoffMs) : backoff(facts);
  if (minMs > roomMs) return { retry: false, limited: requested !== undefined, ...retryAt };
  const delayMs = Math.ceil(Math.min(minMs + (requested?.extraMs ?? 0), roomMs));
  return { retry: true, cause, delayMs };
}

function causeOf({ method, outcome, requested }: RetryCase): RetryCause | undefined {
  if (outcome.kind === "never_sent") return outcome.final ? undefined : "never_sent";
  if (outcome.kind === "reply" && outcome.reply.status === 429) return "rate_limited";
  // In all other cases the service may have acted, and an animal must not be added twice.
  if (method === "POST") return undefined;
  if (outcome.kind !== "reply") return causes[outcome.kind];
  if (!isTransient(outcome.reply.status)) return undefined;
  return requested === undefined ? "transient" : "unavailable";
}

/** Returns whether no retries are left. Refusals concern the key: many requests together retry no more often than one. */
function retriesExhausted(
  cause: RetryCause,
  { history, refusals, maxSends = 5 }: RetryCase,
): boolean {
  const bucket = retryBucket(cause);
  const own = history.filter((earlier) => retryBucket(earlier) === bucket).length;
  const retries = cause === "rate_limited" ? Math.max(own, refusals - 1) : own;
  return history.length + 1 >= maxSends || retries >= maxRetries[bucket];
}

function retryBucket(cause: RetryCause): keyof typeof maxRetries {
  return cause === "unavailable" ? "transient" : cause;
}

function backoff({ history, random, outcome, isLocal }: RetryCase): number {
  // Those after which the service did not say how long to wait.
  const earlier = history.filter(
    (cause) => !["rate_limited", "unavailable"].includes(cause),
  ).length;
  // A store on this machine starts within a second, or is not running.
  const isRefusedLocally =
    isLocal && outcome.kind === "never_sent" && outcome.problem === "refused";
  return equalJitter((isRefusedLocally ? 100 : 500) * 2 ** earlier, random);
}

/** Returns the delay that a 429, or a 503 with `Retry-After`, asks for after `strikes` others (`help rate-limits`). */
export function requestedDelay(
  { status, retryAfter, rateLimit }: ReplyHead,
  { strikes, random }: { strikes: number; random: () => number },
): RequestedDelay | undefined {
  if (status !== 429 && (status !== 503 || retryAfter === undefined)) return undefined;
  const backoffMs = equalJitter(Math.min(60_000, 2000 * 2 ** strikes), random);
  if (retryAfter !== undefined) {
    const announcedMs = Math.max(retryAfter, 1000);
    const ms = Math.max(announcedMs, backoffMs);
    return { ms, extraMs: Math.min(ms / 10, 5000) * random(), announcedMs };
  }
  const { remaining, endsIn } = rateLimit;
  const ms = remaining === 0 && endsIn !== undefined ? endsIn + 1000 : backoffMs;
  return { ms, extraMs: 0, announcedMs: ms };
}

/** Returns what the rate limiter learns from the head of a reply that asked for `delay`. */
export function toReplyInfo({ status, rateLimit }: ReplyHead, delay?: RequestedDelay): ReplyInfo {
  // An invalid key has no limits: those of a 401 belong to the caller's address.
  return { status, ...(status !== 401 && rateLimit), waitMs: delay?.announcedMs };
}

function equalJitter(ms: number, random: () => number): number {
  return (ms * (1 + random())) / 2;
}
