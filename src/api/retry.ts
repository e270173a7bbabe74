import type { HttpRequest, Outcome, Reply } from "./outcome.ts";
import { rateLimits, retryAfter } from "./rate-headers.ts";
import type { WaitReason } from "./types.ts";

/** What went wrong with a send, in so far as it may be tried again. */
export type Trouble = "rate_limited" | "unavailable" | "never_sent" | "transient" | "timeout";

/** All that the rules look at. Times are in ms, `now` since the epoch, `random` from 0 up to 1. */
export interface RetryCase {
  readonly method: HttpRequest["method"];
  readonly outcome: Outcome;
  /** What went wrong before in this request, in order. */
  readonly history: readonly Trouble[];
  /** How long this request has waited already. */
  readonly waitedMs: number;
  readonly maxWaitMs: number;
  readonly now: number;
  readonly random: () => number;
}

/**
 * What to do next: wait for `ms` and send again; or end. `limited` is the end because the service
 * asks for a wait that there is no room for, or asks again after the waits; `retryAt` the moment
 * that it named, in ms since the epoch; `spent` where no more tries were left, so that a longer
 * `--max-wait` would not have helped.
 */
export type Verdict =
  | {
      readonly retry: true;
      readonly trouble: Trouble;
      readonly reason: WaitReason;
      readonly ms: number;
    }
  | {
      readonly retry: false;
      readonly limited: boolean;
      readonly spent?: true;
      readonly retryAt?: number;
    };

const mostSends = 5;

/** How often each is tried again; `unavailable` is one of the transient ones (rate-limits.md). */
const mostRetries = { rate_limited: 2, never_sent: 3, transient: 3, timeout: 1 } as const;

const transientStatuses: ReadonlySet<number> = new Set([408, 500, 502, 503, 504]);

/** Decides by both tables of rate-limits.md whether a request is sent again, and after how long. */
export function judge(facts: RetryCase): Verdict {
  const trouble = troubleOf(facts);
  if (trouble === undefined) return { retry: false, limited: false };
  const wait = waitFor(trouble, facts);
  const asked = wait.announcedMs !== undefined;
  const retryAt = asked ? { retryAt: facts.now + Math.ceil(wait.announcedMs) } : {};
  if (isSpent(trouble, facts.history)) {
    return { retry: false, limited: trouble === "rate_limited", spent: true, ...retryAt };
  }
  const room = facts.maxWaitMs - facts.waitedMs;
  if (wait.ms > room) return { retry: false, limited: asked, ...retryAt };
  const ms = Math.ceil(Math.min(wait.ms + wait.extraMs, room));
  return { retry: true, trouble, reason: reasonOf(trouble), ms };
}

function troubleOf({ method, outcome, now }: RetryCase): Trouble | undefined {
  if (outcome.kind === "never_sent") return outcome.final ? undefined : "never_sent";
  if (outcome.kind === "reply" && outcome.reply.status === 429) return "rate_limited";
  // Anything else may have been acted upon, and an animal must not be added twice.
  if (method === "POST") return undefined;
  if (outcome.kind === "timeout") return "timeout";
  if (outcome.kind === "reset" || outcome.kind === "cut_off" || outcome.kind === "malformed") {
    return "transient";
  }
  return outcome.kind === "reply" ? troubleOfReply(outcome.reply, now) : undefined;
}

function troubleOfReply({ status, headers }: Reply, now: number): Trouble | undefined {
  if (!transientStatuses.has(status)) return undefined;
  return status === 503 && retryAfter(headers, now) !== undefined ? "unavailable" : "transient";
}

function isSpent(trouble: Trouble, history: readonly Trouble[]): boolean {
  const row = rowOf(trouble);
  const retries = history.filter((earlier) => rowOf(earlier) === row).length;
  return history.length + 1 >= mostSends || retries >= mostRetries[row];
}

function rowOf(trouble: Trouble): keyof typeof mostRetries {
  return trouble === "unavailable" ? "transient" : trouble;
}

function reasonOf(trouble: Trouble): WaitReason {
  return trouble === "rate_limited" || trouble === "unavailable" ? trouble : "retry";
}

/** `ms` must fit the budget; `extraMs` comes on top as far as it does; `announcedMs` was asked for. */
interface PlannedWait {
  readonly ms: number;
  readonly extraMs: number;
  readonly announcedMs: number | undefined;
}

function waitFor(trouble: Trouble, { outcome, history, now, random }: RetryCase): PlannedWait {
  const asking = history.filter((earlier) => reasonOf(earlier) !== "retry").length;
  if (reasonOf(trouble) === "retry" || outcome.kind !== "reply") {
    const ms = equalJitter(Math.min(20_000, 500 * 2 ** (history.length - asking)), random);
    return { ms, extraMs: 0, announcedMs: undefined };
  }
  const { headers } = outcome.reply;
  const backoff = equalJitter(Math.min(60_000, 2000 * 2 ** asking), random);
  const announced = retryAfter(headers, now);
  if (announced !== undefined) {
    const ms = Math.max(announced, 1000, backoff);
    return { ms, extraMs: Math.min(ms / 10, 5000) * random(), announcedMs: announced };
  }
  const { remaining, resetAt } = rateLimits(headers, now);
  const ms = remaining === 0 && resetAt !== undefined ? resetAt - now + 1000 : backoff;
  return { ms, extraMs: 0, announcedMs: ms };
}

/** Half of `ms` for certain, the other half at random. */
function equalJitter(ms: number, random: () => number): number {
  return (ms * (1 + random())) / 2;
}
