import type { WaitCondition } from "../../rate-limiter/decision.ts";
import { isOpenEnded } from "../../rate-limiter/hold.ts";
import { cancelledFailure } from "../ended.ts";
import { describeWait, maxWaitExceeded, mayResolveLocally, fitsBudget } from "./hold.ts";
import type { PetsApiOptions } from "../options.ts";
import type { InFlight } from "./flights.ts";
import type { Queue } from "./queue.ts";
import type { Wait } from "../types.ts";

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
