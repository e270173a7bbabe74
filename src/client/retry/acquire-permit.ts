import { isOpenEnded, type WaitCondition } from "../../rate-limiter/rules/decision.ts";
import type { AcquireResult } from "../../rate-limiter/types.ts";
import { cancelledFailure } from "../failures.ts";
import type { PetsApiOptions, PlannedWait } from "../types.ts";
import type { MinimumDelay } from "./policy.ts";
import type { InFlight, SharedQueue } from "./shared-queue.ts";
import { describeWait, fitsBudget, maxWaitExceeded, mayResolveLocally } from "./wait-condition.ts";

/** What a request has used of its budget, and the delay that its last reply or failure asks for. */
export interface PermitRequest {
  /** How long it has waited so far, in ms. */
  readonly waitedMs: number;
  /** How often it was sent so far. */
  readonly attempts: number;
  /** It fits into `--max-wait`, and `what` says for the user why it is needed. */
  readonly delay?: MinimumDelay & { readonly what: string };
}

/** A permit of the rate limiter, and how long the request has waited so far, in ms. */
export interface AcquiredPermit {
  readonly id: string;
  readonly waitedMs: number;
}

/** What an acquisition needs of a client's options. */
export type AcquireOptions = Pick<
  PetsApiOptions,
  "limiter" | "timeoutMs" | "maxWaitMs" | "clock" | "random" | "signal" | "wait"
>;

/** How long a request may hold its permit beyond its time-out, in ms. */
const settleGraceMs = 2000;
/** The maximum random jitter that is added to a wait, in ms. */
const maxJitterMs = 250;
/** The interval, in ms, at which the limiter is asked whether a wait is over early. */
const fastPollMs = 25;
const slowPollMs = 500;

/**
 * Acquires the permit to send a request, and is the only step in which a request waits: first for the delay that its
 * last refusal asks for, then for the rate limiter. Only the first request in a client's queue waits for the limiter,
 * and only that time counts as its wait. From then on the request counts as in flight. Rejects with a Failure
 * (rate_limited) if the wait does not fit `--max-wait` (`help rate-limits`), or if the command is cancelled.
 */
export async function acquirePermit(
  options: AcquireOptions,
  shared: SharedQueue,
  request: PermitRequest,
): Promise<AcquiredPermit> {
  throwIfCancelled(options, request);
  const waitedMs = request.waitedMs + (await waitForDelay(options, request));
  const used = { ...request, waitedMs };
  if (shared.queue.isEmpty) {
    const result = await tryAcquire(options, shared.inFlight);
    if (result.go) return { id: result.id, waitedMs };
  }
  return shared.queue.run(() => acquireAtHead(options, shared.inFlight, used));
}

function throwIfCancelled({ signal }: AcquireOptions, { attempts }: PermitRequest): void {
  if (signal.aborted) throw cancelledFailure(signal.reason, attempts, false);
}

/** Waits as long as the last refusal asks for, and returns that time in ms. */
async function waitForDelay(options: AcquireOptions, request: PermitRequest): Promise<number> {
  const { delay } = request;
  if (delay === undefined) return 0;
  await waitWithNotice(options, delay, request);
  return delay.ms;
}

async function acquireAtHead(
  options: AcquireOptions,
  inFlight: InFlight,
  request: PermitRequest,
): Promise<AcquiredPermit> {
  const { maxWaitMs, clock } = options;
  let { waitedMs } = request;
  for (;;) {
    throwIfCancelled(options, request);
    const result = await tryAcquire(options, inFlight);
    if (result.go) return { id: result.id, waitedMs };
    const roomMs = maxWaitMs - waitedMs;
    if (inFlight.count > 0 && mayResolveLocally(result, roomMs)) {
      await inFlight.nextCompletion();
      continue;
    }
    if (!fitsBudget(result, roomMs)) throw maxWaitExceeded(result, clock.now(), request.attempts);
    const start = clock.monotonic();
    await waitWithNotice(options, toWait(result, roomMs, options), request);
    waitedMs += clock.monotonic() - start;
  }
}

async function tryAcquire(
  { limiter, timeoutMs }: AcquireOptions,
  inFlight: InFlight,
): Promise<AcquireResult> {
  // It counts at once, so that others wait for it while a shared limiter is asked.
  inFlight.add();
  let result: AcquireResult | undefined;
  try {
    result = await limiter.tryAcquire(timeoutMs + settleGraceMs);
    return result;
  } finally {
    if (!result?.go) inFlight.remove();
  }
}

/** Waits as `options.wait` does; when the command is cancelled, rejects with a Failure that says so. */
async function waitWithNotice(
  { wait, clock, signal }: AcquireOptions,
  planned: Omit<PlannedWait, "until">,
  { attempts }: PermitRequest,
): Promise<void> {
  try {
    await wait({ ...planned, until: clock.now() + planned.ms });
  } catch (error) {
    throw signal.aborted ? cancelledFailure(signal.reason, attempts, false) : error;
  }
}

/** Returns the wait for a condition of the limiter, which ends early once that condition is over. */
function toWait(
  condition: WaitCondition,
  roomMs: number,
  { limiter, random }: AcquireOptions,
): Omit<PlannedWait, "until"> {
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
