import { Failure } from "../../core/errors.ts";
import { isOpenEnded, type WaitCondition } from "../../rate-limiter/decision.ts";
import { cancelledFailure, rateLimitHints } from "../failures.ts";
import { statusText } from "../status.ts";
import type { PetsApiOptions, Wait } from "../types.ts";

/** What a request has spent already: waits in ms, and sends. */
interface BudgetUsed {
  readonly waitedMs: number;
  readonly attempts: number;
}

/** A place at the gate, and how long the request has waited by now, in ms. */
export interface AcquiredPermit {
  readonly id: string;
  readonly waitedMs: number;
}

/** How much longer than its time-out a request may be on its way, in ms, before it is given up. */
const settleGraceMs = 5000;
/** At the end of a wait not all come at the same moment, in ms. */
const maxJitterMs = 250;
/** How often it is looked whether a wait is over sooner, in ms: others may be on their way, or wait too. */
const fastPollMs = 25;
const slowPollMs = 500;

/** What the requests of one client share on their way to the gate, and behind it. */
export interface SharedQueue {
  /** Those that wait for a place. */
  readonly queue: Queue;
  /** Those that have one. */
  readonly flights: InFlight;
}

/**
 * Waits at the gate until the request may be sent. Of the requests of one client the first alone
 * waits for the gate, and only that counts as its wait. Rejects with a Failure (rate_limited) where
 * the wait does not fit `--max-wait` (rate-limits.md, The gate), and when the command is ended. The
 * request is one of `flights` from then on.
 */
export async function acquirePermit(
  options: PetsApiOptions,
  siblings: SharedQueue,
  spent: BudgetUsed,
): Promise<AcquiredPermit> {
  const { queue, flights } = siblings;
  if (queue.isEmpty) {
    const answer = options.gate.tryAcquire(options.timeoutMs + settleGraceMs);
    if (answer.go) {
      flights.add();
      return { id: answer.id, waitedMs: spent.waitedMs };
    }
  }
  return queue.run(() => acquireAtHead(options, flights, spent));
}

async function acquireAtHead(
  options: PetsApiOptions,
  flights: InFlight,
  spent: BudgetUsed,
): Promise<AcquiredPermit> {
  const { gate, timeoutMs, maxWaitMs, clock, signal } = options;
  let { waitedMs } = spent;
  for (;;) {
    if (signal.aborted) throw cancelledFailure(signal.reason, spent.attempts, false);
    const answer = gate.tryAcquire(timeoutMs + settleGraceMs);
    if (answer.go) {
      flights.add();
      return { id: answer.id, waitedMs };
    }
    const room = maxWaitMs - waitedMs;
    if (flights.count > 0 && mayResolveLocally(answer, room)) {
      await flights.nextCompletion();
      continue;
    }
    if (!fitsBudget(answer, room)) throw maxWaitExceeded(answer, clock.now(), spent.attempts);
    const start = clock.monotonic();
    await waitWithNotice(options, toWait(answer, room, options), spent.attempts);
    waitedMs += clock.monotonic() - start;
  }
}

/** Waits as `options.wait` does; rejects with a Failure that tells how often the request was sent. */
export async function waitWithNotice(
  { wait, clock, signal }: PetsApiOptions,
  planned: Omit<Wait, "until">,
  attempts: number,
): Promise<void> {
  try {
    await wait({ ...planned, until: clock.now() + planned.ms });
  } catch (error) {
    throw signal.aborted ? cancelledFailure(signal.reason, attempts, false) : error;
  }
}

function toWait(
  hold: WaitCondition,
  room: number,
  { gate, random }: PetsApiOptions,
): Omit<Wait, "until"> {
  const open = isOpenEnded(hold);
  const ms = Math.ceil(Math.min(open ? hold.ms : hold.ms + maxJitterMs * random(), room));
  const wait = { reason: "gate", what: describeWait(hold), ms, open } as const;
  if (hold.reason === "blocked") return wait;
  const isOver = (): boolean => {
    const next = gate.peek();
    return next.go || next.reason !== hold.reason;
  };
  return { ...wait, earlyExit: { isOver, everyMs: open ? fastPollMs : slowPollMs } };
}

/**
 * Whether a request whose waits may take `room` ms more had better see what becomes of its siblings:
 * what holds it up may end with what they learn, which is no wait that anyone asked for. The service
 * may have counted those already that seem to use up the last requests of a limit.
 */
export function mayResolveLocally(hold: WaitCondition, room: number): boolean {
  return isOpenEnded(hold) || (hold.reason === "used_up" && !fitsBudget(hold, room));
}

/** Whether the wait fits into `room` ms; where nobody knows how long it will be, any room will do. */
export function fitsBudget(hold: WaitCondition, room: number): boolean {
  return isOpenEnded(hold) ? room > 0 : hold.ms <= room;
}

/** What a request waits for, as the user is told. */
export function describeWait(hold: WaitCondition): string {
  switch (hold.reason) {
    case "blocked":
      return `the service answered ${statusText(hold.status)} to an earlier request`;
    case "used_up":
      return `the limit of ${hold.limit} ${hold.limit === 1 ? "request" : "requests"} is used up`;
    case "probing":
      return "another request tries whether the service answers again";
    case "learning":
      return "other requests are on their way, and the limits are not known yet";
    default:
      throw new TypeError(`unknown hold ${String(hold satisfies never)}`);
  }
}

/** The Failure of a request that was sent `attempts` times, and whose next wait does not fit at `now`. */
export function maxWaitExceeded(hold: WaitCondition, now: number, attempts: number): Failure {
  const retryAt = isOpenEnded(hold) ? {} : { retryAt: now + Math.ceil(hold.ms) };
  const sent = attempts === 0 ? "; nothing was sent" : "";
  return new Failure("rate_limited", `${describeWait(hold)}${sent}`, {
    ...retryAt,
    retryable: true,
    attempts,
    hints: rateLimitHints(retryAt),
  });
}

/** Lets one after the other in, in the order in which they came. */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();
  #length = 0;

  /** Whether nobody is in it. */
  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Does `step` once all who came before have done theirs, and answers what it does. */
  run<T>(step: () => Promise<T>): Promise<T> {
    this.#length += 1;
    const own = this.#last.then(step).finally(() => (this.#length -= 1));
    this.#last = own.catch(() => {});
    return own;
  }
}

/** Counts what is on its way, and tells when any of it has ended. */
export class InFlight {
  #count = 0;
  #landing: PromiseWithResolvers<void> | undefined;

  get count(): number {
    return this.#count;
  }

  /** Something is on its way. */
  add(): void {
    this.#count += 1;
  }

  /** Something of it has ended. */
  remove(): void {
    this.#count -= 1;
    this.#landing?.resolve();
    this.#landing = undefined;
  }

  /** Resolves when the next of those on their way has ended. */
  nextCompletion(): Promise<void> {
    this.#landing ??= Promise.withResolvers<void>();
    return this.#landing.promise;
  }
}
