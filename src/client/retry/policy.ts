import type { HttpRequest } from "../http/exchange.ts";
import type { Outcome } from "../http/outcome.ts";
import type { ReplyHead } from "../http/reply-head.ts";
import type { WaitReason } from "../types.ts";

/** What went wrong with a send, in so far as it may be tried again. */
export type RetryCause = "rate_limited" | "unavailable" | "never_sent" | "transient" | "timeout";

/** All that the rules look at. Times are in ms, `now` since the epoch, `random` from 0 up to 1. */
export interface RetryCase {
  readonly method: HttpRequest["method"];
  readonly outcome: Outcome;
  /** The wait that its reply asked for, where it did, from `now` on. */
  readonly asked: RequestedDelay | undefined;
  /** What went wrong before in this request, in order. */
  readonly history: readonly RetryCause[];
  /** How often in a row requests of this client were refused by now, this one among them. */
  readonly refusals: number;
  /** How long this request has waited already. */
  readonly waitedMs: number;
  readonly maxWaitMs: number;
  readonly now: number;
  readonly random: () => number;
}

/**
 * A wait that a reply asked for. `ms` must fit the budget; `extraMs` comes on top as far as it does;
 * nobody may send for `announcedMs`, the moment that is told to the user and to other processes.
 */
export interface RequestedDelay {
  readonly ms: number;
  readonly extraMs: number;
  readonly announcedMs: number;
}

/**
 * What to do next: wait for `ms` and send again; or end. `limited` is the end because the service
 * asks for a wait that there is no room for, or asks again after the waits; `retryAt` the moment
 * that it named, in ms since the epoch; `exhausted` where no more tries were left, so that a longer
 * `--max-wait` would not have helped.
 */
export type RetryDecision =
  | {
      readonly retry: true;
      readonly trouble: RetryCause;
      readonly reason: WaitReason;
      readonly ms: number;
    }
  | {
      readonly retry: false;
      readonly limited: boolean;
      readonly exhausted?: true;
      readonly retryAt?: number;
    };

const maxSends = 5;

/** How often each is tried again; `unavailable` is one of the transient ones (rate-limits.md). */
const maxRetries = { rate_limited: 2, never_sent: 3, transient: 3, timeout: 1 } as const;

const transientStatuses: ReadonlySet<number> = new Set([408, 500, 502, 503, 504]);

/** Decides by both tables of rate-limits.md whether a request is sent again, and after how long. */
export function decideRetry(facts: RetryCase): RetryDecision {
  const trouble = troubleOf(facts);
  if (trouble === undefined) return { retry: false, limited: false };
  const { asked } = facts;
  const wait = asked ?? { ms: backoff(facts), extraMs: 0 };
  const retryAt = asked && { retryAt: facts.now + Math.ceil(asked.announcedMs) };
  if (retriesExhausted(trouble, facts)) {
    return { retry: false, limited: trouble === "rate_limited", exhausted: true, ...retryAt };
  }
  const room = facts.maxWaitMs - facts.waitedMs;
  if (wait.ms > room) return { retry: false, limited: asked !== undefined, ...retryAt };
  const ms = Math.ceil(Math.min(wait.ms + wait.extraMs, room));
  return { retry: true, trouble, reason: reasonOf(trouble), ms };
}

function troubleOf({ method, outcome, asked }: RetryCase): RetryCause | undefined {
  if (outcome.kind === "never_sent") return outcome.final ? undefined : "never_sent";
  if (outcome.kind === "reply" && outcome.reply.status === 429) return "rate_limited";
  // Anything else may have been acted upon, and an animal must not be added twice.
  if (method === "POST") return undefined;
  if (outcome.kind === "timeout") return "timeout";
  if (outcome.kind === "reset" || outcome.kind === "cut_off" || outcome.kind === "malformed") {
    return "transient";
  }
  if (outcome.kind !== "reply" || !transientStatuses.has(outcome.reply.status)) return undefined;
  return asked === undefined ? "transient" : "unavailable";
}

/**
 * A refusal is one of the key, whichever request meets it: many requests together try no more often
 * than one of them would.
 */
function retriesExhausted(trouble: RetryCause, { history, refusals }: RetryCase): boolean {
  const row = retryBucket(trouble);
  const own = history.filter((earlier) => retryBucket(earlier) === row).length;
  const retries = trouble === "rate_limited" ? Math.max(own, refusals - 1) : own;
  return history.length + 1 >= maxSends || retries >= maxRetries[row];
}

function retryBucket(trouble: RetryCause): keyof typeof maxRetries {
  return trouble === "unavailable" ? "transient" : trouble;
}

function reasonOf(trouble: RetryCause): WaitReason {
  return trouble === "rate_limited" || trouble === "unavailable" ? trouble : "retry";
}

/** How often in a row a reply has asked to wait, in these troubles of one request. */
export function countDelays(history: readonly RetryCause[]): number {
  return history.filter((trouble) => reasonOf(trouble) !== "retry").length;
}

function backoff({ history, random }: RetryCase): number {
  const earlier = history.length - countDelays(history);
  return equalJitter(Math.min(20_000, 500 * 2 ** earlier), random);
}

/**
 * Returns the delay that a reply asks for (rate-limits.md, How long): a 429 does, and a 503 with
 * `Retry-After`. `strikes` is how often in a row replies have asked for one before.
 */
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

/** Returns between half of `ms` and all of it, at random. */
function equalJitter(ms: number, random: () => number): number {
  return (ms * (1 + random())) / 2;
}
