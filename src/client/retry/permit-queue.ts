import { Failure } from "../../core/errors.ts";
import { formatCount, plural } from "../../core/format.ts";
import { isOpenEnded, type WaitCondition } from "../../rate-limiter/rules/decision.ts";
import type { ReplyInfo } from "../../rate-limiter/rules/records.ts";
import type { AcquireResult, Limiter } from "../../rate-limiter/types.ts";
import { cancelledFailure, waitHints } from "../failures.ts";
import { statusText } from "../http/outcome.ts";
import type { PetsApiOptions, Wait } from "../types.ts";
import { type EarlyEnd, waitFor } from "./wait.ts";

/** What one request has used of what it may: `roomMs` is left of `--max-wait` for its waits. */
export interface Budget {
  attempts: number;
  roomMs: number;
}

/** The leave to send one request. Disposal ends it: without a reply as lost, or if nothing was sent as released. */
export type Permit = ReturnType<typeof makePermit>;

function makePermit(limiter: Limiter, id: string, onEnd: () => void) {
  let isComplete = false;
  return {
    /** Whether its request may have been sent. */
    isSent: false,
    /** Returns whether the request may still be sent: another process may have been refused meanwhile. */
    isValid: () => limiter.revalidate(id),
    /** Ends it with what the head of the reply says. */
    complete: (reply: ReplyInfo): void => {
      isComplete = true;
      limiter.complete(id, reply);
    },
    [Symbol.dispose](): void {
      if (!isComplete) limiter.end(id, this.isSent ? "lost" : "release");
      onEnd();
    },
  };
}

/** How long a request may hold its permit beyond its time-out. */
const settleGraceMs = 2000;
const maxJitterMs = 250;
/** The intervals at which the limiter is asked whether a wait can end early. */
const fastPollMs = 25;
const slowPollMs = 500;

/** Acquires the permits of a client: the only place where a request waits. Only the first in the queue spends its budget. */
export class PermitQueue {
  readonly #options: PetsApiOptions;
  /** How many requests wait for a permit, one after the other, and the end of the last of them. */
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();
  /** How many requests have one, and the next end of one of them. */
  #inFlight = 0;
  #nextEnd = Promise.withResolvers<void>();

  constructor(options: PetsApiOptions) {
    this.#options = options;
  }

  /** Returns a permit. Rejects with a Failure if the wait exceeds `--max-wait`, or the command is cancelled. */
  async acquire(budget: Budget): Promise<Permit> {
    this.throwIfCancelled(budget);
    if (this.#waiting === 0) {
      const result = await this.#tryAcquire();
      if (!("reason" in result)) return result;
    }
    this.#waiting += 1;
    const acquired = this.#last
      .then(() => this.#acquireAtHead(budget))
      .finally(() => (this.#waiting -= 1));
    this.#last = acquired.catch(() => {});
    return acquired;
  }

  #end(): void {
    this.#inFlight -= 1;
    this.#nextEnd.resolve();
    this.#nextEnd = Promise.withResolvers<void>();
  }

  /** Waits, at the expense of `budget`. Rejects with a Failure if the command is cancelled before or meanwhile. */
  async wait(planned: Omit<Wait, "until">, budget: Budget, early?: EarlyEnd): Promise<void> {
    const { clock } = this.#options;
    const start = clock.monotonic();
    try {
      await waitFor(this.#options, planned, early);
    } catch (error) {
      this.throwIfCancelled(budget);
      throw error;
    }
    // A timer that is late costs the user nothing.
    budget.roomMs -= Math.min(planned.ms, clock.monotonic() - start);
  }

  async #acquireAtHead(budget: Budget): Promise<Permit> {
    for (;;) {
      this.throwIfCancelled(budget);
      const result = await this.#tryAcquire();
      if (!("reason" in result)) return result;
      const { roomMs } = budget;
      const fits = isOpenEnded(result) ? roomMs > 0 : result.ms <= roomMs;
      // A request in flight may end the condition: the service may have counted it already in an exhausted window.
      const mayEnd = isOpenEnded(result) || (result.reason === "used_up" && !fits);
      if (this.#inFlight > 0 && mayEnd) {
        await this.#nextEnd.promise;
        continue;
      }
      if (!fits) throw maxWaitExceeded(result, this.#options.clock.now(), budget.attempts);
      await this.#waitFor(result, budget);
    }
  }

  async #tryAcquire(): Promise<Permit | WaitCondition> {
    const { limiter, timeoutMs, despite503 } = this.#options;
    // It counts at once, so that others wait for it while a shared limiter is asked.
    this.#inFlight += 1;
    let result: AcquireResult | undefined;
    try {
      result = await limiter.tryAcquire(timeoutMs + settleGraceMs, despite503);
      return result.go ? makePermit(limiter, result.id, () => this.#end()) : result;
    } finally {
      if (!result?.go) this.#end();
    }
  }

  throwIfCancelled({ attempts }: Budget): void {
    const { signal } = this.#options;
    if (signal.aborted) throw cancelledFailure(signal.reason, attempts, false);
  }

  /** Returns when a wait for a condition of the limiter can end before its time: others may end it. */
  endOf(reason: WaitCondition["reason"]): EarlyEnd {
    const isOver = (): boolean => {
      const next = this.#options.limiter.peek();
      return next.go || next.reason !== reason;
    };
    return { isOver, everyMs: isOpenEnded({ reason }) ? fastPollMs : slowPollMs };
  }

  /** Waits until a condition of the limiter has ended, which may be before its time, except for a ban. */
  async #waitFor(condition: WaitCondition, budget: Budget): Promise<void> {
    const isOpen = isOpenEnded(condition);
    const longest = condition.ms + (isOpen ? 0 : maxJitterMs * this.#options.random());
    const ms = Math.ceil(Math.min(longest, budget.roomMs));
    // A ban ends when it was said to end, not before.
    const isBan = condition.reason === "blocked" && condition.status === 429;
    const wait = { what: describeWait(condition), ms, isForLimiter: true, isOpenEnded: isOpen };
    await this.wait(wait, budget, isBan ? undefined : this.endOf(condition.reason));
  }
}

function describeWait(condition: WaitCondition): string {
  if (condition.reason === "blocked")
    return `the service responded with ${statusText(condition.status)} to an earlier request`;
  if (condition.reason !== "used_up")
    return condition.reason === "probing"
      ? "a probe request asks whether the service accepts requests again"
      : "other requests are in flight, and the limits are not known yet";
  const { limit, reserved = 0 } = condition;
  const rest = `, except for ${formatCount(reserved)} reserved for other commands`;
  return `the limit of ${plural(limit, "request")} is used up${reserved === 0 ? "" : rest}`;
}

/** Returns the Failure of a request that was sent `attempts` times and whose next wait, from `now`, does not fit. */
function maxWaitExceeded(condition: WaitCondition, now: number, attempts: number): Failure {
  const retryAt = isOpenEnded(condition) ? {} : { retryAt: now + Math.ceil(condition.ms) };
  const sent = attempts === 0 ? "; nothing was sent" : "";
  return new Failure("rate_limited", `${describeWait(condition)}${sent}`, {
    ...retryAt,
    retryable: true,
    attempts,
    hints: waitHints(retryAt, now, "status" in condition ? condition.status : undefined),
  });
}
