import { Failure } from "../../core/errors.ts";
import { formatCount, plural } from "../../core/format.ts";
import { isOpenEnded, type WaitCondition } from "../../rate-limiter/rules/decision.ts";
import type { AcquireResult } from "../../rate-limiter/types.ts";
import { cancelledFailure, waitHints } from "../failures.ts";
import { statusText } from "../http/outcome.ts";
import type { PetsApiOptions, PlannedWait } from "../types.ts";

export interface Used {
  waitedMs: number;
  attempts: number;
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

  /** Returns the id of a permit. Rejects with a Failure if the wait exceeds `--max-wait`, or the command is cancelled. */
  async acquire(used: Used): Promise<string> {
    this.throwIfCancelled(used);
    if (this.#waiting === 0) {
      const result = await this.#tryAcquire();
      if (result.go) return result.id;
    }
    this.#waiting += 1;
    const acquired = this.#last
      .then(() => this.#acquireAtHead(used))
      .finally(() => (this.#waiting -= 1));
    this.#last = acquired.catch(() => {});
    return acquired;
  }

  end(): void {
    this.#inFlight -= 1;
    this.#nextEnd.resolve();
    this.#nextEnd = Promise.withResolvers<void>();
  }

  /** Waits as `options.wait` does. Rejects with a Failure if the command is cancelled before or meanwhile. */
  async wait(planned: Omit<PlannedWait, "until">, used: Used): Promise<void> {
    const { wait, clock } = this.#options;
    this.throwIfCancelled(used);
    try {
      await wait({ ...planned, until: clock.now() + planned.ms });
    } catch (error) {
      this.throwIfCancelled(used);
      throw error;
    }
  }

  async #acquireAtHead(used: Used): Promise<string> {
    const { maxWaitMs, clock } = this.#options;
    for (;;) {
      this.throwIfCancelled(used);
      const result = await this.#tryAcquire();
      if (result.go) return result.id;
      const roomMs = maxWaitMs - used.waitedMs;
      const fits = isOpenEnded(result) ? roomMs > 0 : result.ms <= roomMs;
      // A request in flight may end the condition: the service may have counted it already in an exhausted window.
      const mayEnd = isOpenEnded(result) || (result.reason === "used_up" && !fits);
      if (this.#inFlight > 0 && mayEnd) {
        await this.#nextEnd.promise;
        continue;
      }
      if (!fits) throw maxWaitExceeded(result, clock.now(), used.attempts);
      const start = clock.monotonic();
      await this.wait(this.#plan(result, roomMs), used);
      used.waitedMs += clock.monotonic() - start;
    }
  }

  async #tryAcquire(): Promise<AcquireResult> {
    const { limiter, timeoutMs, despite503 } = this.#options;
    // It counts at once, so that others wait for it while a shared limiter is asked.
    this.#inFlight += 1;
    let result: AcquireResult | undefined;
    try {
      result = await limiter.tryAcquire(timeoutMs + settleGraceMs, despite503);
      return result;
    } finally {
      if (!result?.go) this.end();
    }
  }

  throwIfCancelled({ attempts }: Used): void {
    const { signal } = this.#options;
    if (signal.aborted) throw cancelledFailure(signal.reason, attempts, false);
  }

  /** Returns the wait for a condition of the limiter, which ends early once that condition has ended. */
  #plan(condition: WaitCondition, roomMs: number): Omit<PlannedWait, "until"> {
    const { limiter, random } = this.#options;
    const isOpen = isOpenEnded(condition);
    const ms = isOpen ? condition.ms : condition.ms + maxJitterMs * random();
    const wait = {
      reason: "limiter",
      what: describeWait(condition),
      ms: Math.ceil(Math.min(ms, roomMs)),
      isOpenEnded: isOpen,
    } as const;
    if (condition.reason === "blocked") return wait;
    const isOver = (): boolean => {
      const next = limiter.peek();
      return next.go || next.reason !== condition.reason;
    };
    return { ...wait, earlyExit: { isOver, everyMs: isOpen ? fastPollMs : slowPollMs } };
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
