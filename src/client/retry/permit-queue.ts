import { isOpenEnded, type WaitCondition } from "../../rate-limiter/rules/decision.ts";
import type { AcquireResult } from "../../rate-limiter/types.ts";
import { cancelledFailure } from "../report/request-failure.ts";
import type { PetsApiOptions, PlannedWait } from "../types.ts";
import type { MinimumDelay } from "./policy.ts";
import { describeWait, fitsBudget, maxWaitExceeded, mayResolveLocally } from "./wait-condition.ts";

/** What a request has used of its budget, and the delay that its last reply or failure asks for. */
export interface PermitRequest {
  readonly waitedMs: number;
  readonly attempts: number;
  /** It fits into `--max-wait`, and `what` says for the user why it is needed. */
  readonly delay?: MinimumDelay & { readonly what: string };
  /** Resolves when the request may be sent again: the caller has a pace of its own, which is no wait. */
  readonly onRetry?: () => Promise<void>;
}

/** A permit of the rate limiter, and how long the request has waited so far, in ms. */
export interface AcquiredPermit {
  readonly id: string;
  readonly waitedMs: number;
}

export type PermitOptions = Pick<
  PetsApiOptions,
  "limiter" | "timeoutMs" | "maxWaitMs" | "clock" | "random" | "signal" | "wait"
>;

/** How long a request may hold its permit beyond its time-out, in ms. */
const settleGraceMs = 2000;
const maxJitterMs = 250;
/** The interval, in ms, at which the limiter is asked whether a wait is over early. */
const fastPollMs = 25;
const slowPollMs = 500;

/**
 * Acquires the permits of one client's requests: the only step in which a request waits, first for the delay that its
 * last refusal asks for, then for the rate limiter. Only the first request in the queue waits for the limiter, and
 * only that time counts as its wait.
 */
export class PermitQueue {
  readonly #options: PermitOptions;
  /** How many requests wait for a permit, one after the other, and the end of the last of them. */
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();
  /** How many requests have one, and the next end of one of them. */
  #inFlight = 0;
  #nextEnd = Promise.withResolvers<void>();

  constructor(options: PermitOptions) {
    this.#options = options;
  }

  /**
   * Returns a permit, from when on the request counts as in flight. Rejects with a Failure (rate_limited) if the wait
   * does not fit `--max-wait` (`help rate-limits`), or if the command is cancelled.
   */
  async acquire(request: PermitRequest): Promise<AcquiredPermit> {
    this.#throwIfCancelled(request);
    if (request.delay !== undefined) await this.#wait(request.delay, request);
    await request.onRetry?.();
    const waitedMs = request.waitedMs + (request.delay?.ms ?? 0);
    if (this.#waiting === 0) {
      const result = await this.#tryAcquire();
      if (result.go) return { id: result.id, waitedMs };
    }
    this.#waiting += 1;
    const acquired = this.#last
      .then(() => this.#acquireAtHead({ ...request, waitedMs }))
      .finally(() => (this.#waiting -= 1));
    this.#last = acquired.catch(() => {});
    return acquired;
  }

  /** Ends the time in flight of a request that got a permit. */
  end(): void {
    this.#inFlight -= 1;
    this.#nextEnd.resolve();
    this.#nextEnd = Promise.withResolvers<void>();
  }

  async #acquireAtHead(request: PermitRequest): Promise<AcquiredPermit> {
    const { maxWaitMs, clock } = this.#options;
    let { waitedMs } = request;
    for (;;) {
      this.#throwIfCancelled(request);
      const result = await this.#tryAcquire();
      if (result.go) return { id: result.id, waitedMs };
      const roomMs = maxWaitMs - waitedMs;
      if (this.#inFlight > 0 && mayResolveLocally(result, roomMs)) {
        await this.#nextEnd.promise;
        continue;
      }
      if (!fitsBudget(result, roomMs)) throw maxWaitExceeded(result, clock.now(), request.attempts);
      const start = clock.monotonic();
      await this.#wait(this.#plan(result, roomMs), request);
      waitedMs += clock.monotonic() - start;
    }
  }

  async #tryAcquire(): Promise<AcquireResult> {
    const { limiter, timeoutMs } = this.#options;
    // It counts at once, so that others wait for it while a shared limiter is asked.
    this.#inFlight += 1;
    let result: AcquireResult | undefined;
    try {
      result = await limiter.tryAcquire(timeoutMs + settleGraceMs);
      return result;
    } finally {
      if (!result?.go) this.end();
    }
  }

  #throwIfCancelled({ attempts }: PermitRequest): void {
    const { signal } = this.#options;
    if (signal.aborted) throw cancelledFailure(signal.reason, attempts, false);
  }

  /** Waits as `options.wait` does; when the command is cancelled, rejects with a Failure that says so. */
  async #wait(planned: Omit<PlannedWait, "until">, request: PermitRequest): Promise<void> {
    const { wait, clock } = this.#options;
    try {
      await wait({ ...planned, until: clock.now() + planned.ms });
    } catch (error) {
      this.#throwIfCancelled(request);
      throw error;
    }
  }

  /** Returns the wait for a condition of the limiter, which ends early once that condition is over. */
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
