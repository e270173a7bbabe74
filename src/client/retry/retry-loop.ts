import { toEvents } from "../events.ts";
import { cancelledFailure, type Settled } from "../failures.ts";
import type { HttpRequest } from "../http/exchange.ts";
import { describeOutcome, type Outcome } from "../http/outcome.ts";
import { chooseProxy } from "../http/proxy.ts";
import { createSender, type Sender } from "../http/sender.ts";
import { makeRedaction, type Redaction } from "../redact.ts";
import type { ApiEvent, PetsApiOptions, SendObserver } from "../types.ts";
import {
  acquirePermit,
  InFlight,
  Queue,
  type SharedQueue,
  waitWithNotice,
} from "./acquire-permit.ts";
import { Attempt } from "./attempt.ts";
import { countDelays, decideRetry, type RetryCause } from "./policy.ts";

/** Sends requests as often as the rules say. */
export interface Requests {
  readonly redaction: Redaction;
  /**
   * Rejects with a Failure only when the command is ended meanwhile, or when the request may not be
   * sent (again) within `--max-wait`.
   */
  run(request: HttpRequest, watcher?: SendObserver): Promise<Settled>;
}

/** What the moments of the gate are rounded up by, in ms: a wait of 3 s fits a `--max-wait` of 3 s. */
const clockToleranceMs = 20;

/** Throws a usage Failure where the environment names a proxy that can't be used. */
export function makeRequests(given: PetsApiOptions): Requests {
  const maxWaitMs = given.maxWaitMs === 0 ? 0 : given.maxWaitMs + clockToleranceMs;
  const options = { ...given, maxWaitMs };
  const { baseUrl, env, clock, apiKey } = options;
  const proxy = chooseProxy(baseUrl, env);
  // A URL puts these together anew each time.
  const { origin, host } = baseUrl;
  const sender = createSender({ origin, proxy, clock });
  const redaction = makeRedaction(apiKey);
  const parts = {
    options,
    origin,
    host,
    sender,
    redaction,
    queue: new Queue(),
    flights: new InFlight(),
    refusals: new RefusalCounter(),
  };
  return {
    redaction,
    run: (request, watcher) => run(parts, request, watcher),
  };
}

interface Parts extends SharedQueue {
  readonly options: PetsApiOptions;
  /** Of the service: the first goes into addresses, the second into messages. */
  readonly origin: string;
  readonly host: string;
  readonly sender: Sender;
  readonly redaction: Redaction;
  readonly refusals: RefusalCounter;
}

/** Sends `request` until it is answered for good or no more tries are left. */
async function run(
  parts: Parts,
  request: HttpRequest,
  watcher: SendObserver | undefined,
): Promise<Settled> {
  const { clock, random, signal, maxWaitMs } = parts.options;
  const { refusals } = parts;
  const history: RetryCause[] = [];
  let waitedMs = 0;
  for (;;) {
    if (signal.aborted) throw cancelledFailure(signal.reason, history.length, false);
    const place = await acquirePermit(parts.options, parts, {
      waitedMs,
      attempts: history.length,
    });
    ({ waitedMs } = place);
    const strikes = countDelays(history);
    const passage = new Attempt(parts.options, { id: place.id, strikes, watcher });
    const attempts = history.length + 1;
    const known = refusals.consecutive;
    const outcome = await sendOnce(parts, request, passage, attempts);
    if (passage.isDeferred) continue;
    if (outcome.kind === "reply") refusals.record(known, outcome.reply.status === 429);
    if (outcome.kind === "aborted") {
      throw cancelledFailure(signal.reason, attempts, outcome.sent && request.method === "POST");
    }
    const asked = passage.remainingDelay();
    const facts = { method: request.method, outcome, asked, history, waitedMs, maxWaitMs };
    const verdict = decideRetry({
      ...facts,
      refusals: refusals.consecutive,
      now: clock.now(),
      random,
    });
    if (!verdict.retry) return { outcome, verdict, attempts };
    if (outcome.kind === "reply") watcher?.onRefused();
    const what = describeOutcome(outcome, "the service");
    await waitWithNotice(parts.options, { what, reason: verdict.reason, ms: verdict.ms }, attempts);
    history.push(verdict.trouble);
    waitedMs += verdict.ms;
  }
}

/** One send, and the events that tell of it. */
async function sendOnce(
  parts: Parts,
  request: HttpRequest,
  passage: Attempt,
  attempt: number,
): Promise<Outcome> {
  const { clock, onEvent } = parts.options;
  const url = `${parts.origin}${request.path}`;
  onEvent({ type: "request", method: request.method, url, attempt });
  const start = clock.monotonic();
  const outcome = await sendAndReport(parts, request, passage);
  if (passage.observerError !== undefined) throw passage.observerError.error;
  const ms = clock.monotonic() - start;
  const facts = { ms, host: parts.host, redaction: parts.redaction };
  const events = passage.isDeferred ? [deferredEvent(ms)] : toEvents(outcome, facts);
  for (const event of events) onEvent(event);
  return outcome;
}

/** Others were told to wait while this one was still connecting. */
function deferredEvent(ms: number): ApiEvent {
  return { type: "failure", what: "kept back, as there is a wait by now: nothing was sent,", ms };
}

/** Sends, and gives the place at the gate back whatever happens. */
async function sendAndReport(
  { options, sender, flights }: Parts,
  request: HttpRequest,
  passage: Attempt,
): Promise<Outcome> {
  const { timeoutMs, signal, sendSignal = signal } = options;
  let outcome: Outcome | undefined;
  try {
    outcome = await sender.send(request, { timeoutMs, signal: sendSignal, observer: passage });
    return outcome;
  } finally {
    passage.finishPermit(outcome);
    flights.remove();
  }
}

/**
 * Counts how often in a row the requests of one client were refused (429). Those that were on their
 * way when one was refused knew nothing of that: together they are one time.
 */
export class RefusalCounter {
  #inRow = 0;

  /** How many there were; who sends a request remembers it as what was `known`. */
  get consecutive(): number {
    return this.#inRow;
  }

  /** A request that was sent when so many were `known` was answered: refused, or not. */
  record(known: number, isRefused: boolean): void {
    // A late answer tells nothing of what came after its request was sent.
    if (known === this.#inRow) this.#inRow = isRefused ? known + 1 : 0;
  }
}
