import type { Hold } from "../gate/decide.ts";
import { isOpen } from "../gate/hold.ts";
import { endedFailure } from "./ended.ts";
import { describeHold, doesNotFit, endsWithSiblings, fits } from "./hold.ts";
import type { PetsApiOptions } from "./options.ts";
import type { Flights } from "./flights.ts";
import type { Queue } from "./queue.ts";
import type { Wait } from "./types.ts";

/** What a request has spent already: waits in ms, and sends. */
interface Spent {
  readonly waitedMs: number;
  readonly attempts: number;
}

/** A place at the gate, and how long the request has waited by now, in ms. */
export interface Place {
  readonly id: string;
  readonly waitedMs: number;
}

/** How much longer than its time-out a request may be on its way, in ms, before it is given up. */
const closing = 5000;
/** At the end of a wait not all come at the same moment, in ms. */
const spread = 250;
/** How often it is looked whether a wait is over sooner, in ms: others may be on their way, or wait too. */
const lookOften = 25;
const lookSeldom = 500;

/** What the requests of one client share on their way to the gate, and behind it. */
export interface Siblings {
  /** Those that wait for a place. */
  readonly queue: Queue;
  /** Those that have one. */
  readonly flights: Flights;
}

/**
 * Waits at the gate until the request may be sent. Of the requests of one client the first alone
 * waits for the gate, and only that counts as its wait. Rejects with a Failure (rate_limited) where
 * the wait does not fit `--max-wait` (rate-limits.md, The gate), and when the command is ended. The
 * request is one of `flights` from then on.
 */
export async function waitForPlace(
  options: PetsApiOptions,
  siblings: Siblings,
  spent: Spent,
): Promise<Place> {
  const { queue, flights } = siblings;
  if (queue.isEmpty) {
    const answer = options.gate.ask(options.timeoutMs + closing);
    if (answer.go) {
      flights.begin();
      return { id: answer.id, waitedMs: spent.waitedMs };
    }
  }
  return queue.enter(() => waitAsFirst(options, flights, spent));
}

async function waitAsFirst(
  options: PetsApiOptions,
  flights: Flights,
  spent: Spent,
): Promise<Place> {
  const { gate, timeoutMs, maxWaitMs, clock, signal } = options;
  let { waitedMs } = spent;
  for (;;) {
    if (signal.aborted) throw endedFailure(signal.reason, spent.attempts, false);
    const answer = gate.ask(timeoutMs + closing);
    if (answer.go) {
      flights.begin();
      return { id: answer.id, waitedMs };
    }
    const room = maxWaitMs - waitedMs;
    if (flights.count > 0 && endsWithSiblings(answer, room)) {
      await flights.landing();
      continue;
    }
    if (!fits(answer, room)) throw doesNotFit(answer, clock.now(), spent.attempts);
    const start = clock.monotonic();
    await pause(options, plan(answer, room, options), spent.attempts);
    waitedMs += clock.monotonic() - start;
  }
}

/** Waits as `options.wait` does; rejects with a Failure that tells how often the request was sent. */
export async function pause(
  { wait, clock, signal }: PetsApiOptions,
  planned: Omit<Wait, "until">,
  attempts: number,
): Promise<void> {
  try {
    await wait({ ...planned, until: clock.now() + planned.ms });
  } catch (error) {
    throw signal.aborted ? endedFailure(signal.reason, attempts, false) : error;
  }
}

function plan(hold: Hold, room: number, { gate, random }: PetsApiOptions): Omit<Wait, "until"> {
  const open = isOpen(hold);
  const ms = Math.ceil(Math.min(open ? hold.ms : hold.ms + spread * random(), room));
  const wait = { reason: "gate", what: describeHold(hold), ms, open } as const;
  if (hold.why === "blocked") return wait;
  const isOver = (): boolean => {
    const next = gate.look();
    return next.go || next.why !== hold.why;
  };
  return { ...wait, sooner: { isOver, everyMs: open ? lookOften : lookSeldom } };
}
