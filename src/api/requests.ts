import { describeOutcome } from "./describe.ts";
import { endedFailure } from "./ended.ts";
import { eventsOf } from "./events.ts";
import type { Settled } from "./failures.ts";
import { makeSender, type Sender } from "./http.ts";
import type { PetsApiOptions } from "./options.ts";
import type { HttpRequest, Outcome } from "./outcome.ts";
import { Passage } from "./passage.ts";
import { pause, type Siblings, waitForPlace } from "./place.ts";
import { chooseProxy } from "./proxy.ts";
import { Flights } from "./flights.ts";
import { Queue } from "./queue.ts";
import { makeRedaction, type Redaction } from "./redact.ts";
import { Refusals } from "./refusals.ts";
import { judge, strikesIn, type Trouble } from "./retry.ts";
import type { ApiEvent, SendWatcher } from "./types.ts";

/** Sends requests as often as the rules say. */
export interface Requests {
  readonly redaction: Redaction;
  /**
   * Rejects with a Failure only when the command is ended meanwhile, or when the request may not be
   * sent (again) within `--max-wait`.
   */
  settle(request: HttpRequest, watcher?: SendWatcher): Promise<Settled>;
}

/** What the moments of the gate are rounded up by, in ms: a wait of 3 s fits a `--max-wait` of 3 s. */
const rounding = 20;

/** Throws a usage Failure where the environment names a proxy that can't be used. */
export function makeRequests(given: PetsApiOptions): Requests {
  const maxWaitMs = given.maxWaitMs === 0 ? 0 : given.maxWaitMs + rounding;
  const options = { ...given, maxWaitMs };
  const { baseUrl, env, clock, apiKey } = options;
  const proxy = chooseProxy(baseUrl, env);
  // A URL puts these together anew each time.
  const { origin, host } = baseUrl;
  const sender = makeSender({ origin, proxy, monotonic: () => clock.monotonic() });
  const redaction = makeRedaction(apiKey);
  const parts = {
    options,
    origin,
    host,
    sender,
    redaction,
    queue: new Queue(),
    flights: new Flights(),
    refusals: new Refusals(),
  };
  return {
    redaction,
    settle: (request, watcher) => settle(parts, request, watcher),
  };
}

interface Parts extends Siblings {
  readonly options: PetsApiOptions;
  /** Of the service: the first goes into addresses, the second into messages. */
  readonly origin: string;
  readonly host: string;
  readonly sender: Sender;
  readonly redaction: Redaction;
  readonly refusals: Refusals;
}

/** Sends `request` until it is answered for good or no more tries are left. */
async function settle(
  parts: Parts,
  request: HttpRequest,
  watcher: SendWatcher | undefined,
): Promise<Settled> {
  const { clock, random, signal, maxWaitMs } = parts.options;
  const { refusals } = parts;
  const history: Trouble[] = [];
  let waitedMs = 0;
  for (;;) {
    if (signal.aborted) throw endedFailure(signal.reason, history.length, false);
    const place = await waitForPlace(parts.options, parts, {
      waitedMs,
      attempts: history.length,
    });
    ({ waitedMs } = place);
    const strikes = strikesIn(history);
    const passage = new Passage(parts.options, { id: place.id, strikes, watcher });
    const attempts = history.length + 1;
    const known = refusals.inRow;
    const outcome = await sendOnce(parts, request, passage, attempts);
    if (passage.held) continue;
    if (outcome.kind === "reply") refusals.answered(known, outcome.reply.status === 429);
    if (outcome.kind === "aborted") {
      throw endedFailure(signal.reason, attempts, outcome.sent && request.method === "POST");
    }
    const asked = passage.asked();
    const facts = { method: request.method, outcome, asked, history, waitedMs, maxWaitMs };
    const verdict = judge({ ...facts, refusals: refusals.inRow, now: clock.now(), random });
    if (!verdict.retry) return { outcome, verdict, attempts };
    if (outcome.kind === "reply") watcher?.onRefused();
    const what = describeOutcome(outcome, "the service");
    await pause(parts.options, { what, reason: verdict.reason, ms: verdict.ms }, attempts);
    history.push(verdict.trouble);
    waitedMs += verdict.ms;
  }
}

/** One send, and the events that tell of it. */
async function sendOnce(
  parts: Parts,
  request: HttpRequest,
  passage: Passage,
  attempt: number,
): Promise<Outcome> {
  const { clock, onEvent } = parts.options;
  const url = `${parts.origin}${request.path}`;
  onEvent({ type: "request", method: request.method, url, attempt });
  const start = clock.monotonic();
  const outcome = await passThrough(parts, request, passage);
  if (passage.refusal !== undefined) throw passage.refusal.error;
  const ms = clock.monotonic() - start;
  const facts = { ms, now: clock.now(), host: parts.host, redaction: parts.redaction };
  const events = passage.held ? [heldEvent(ms)] : eventsOf(outcome, facts);
  for (const event of events) onEvent(event);
  return outcome;
}

/** Others were told to wait while this one was still connecting. */
function heldEvent(ms: number): ApiEvent {
  return { type: "failure", what: "kept back, as there is a wait by now: nothing was sent,", ms };
}

/** Sends, and gives the place at the gate back whatever happens. */
async function passThrough(
  { options, sender, flights }: Parts,
  request: HttpRequest,
  passage: Passage,
): Promise<Outcome> {
  const { timeoutMs, signal, sendSignal = signal } = options;
  let outcome: Outcome | undefined;
  try {
    outcome = await sender.send(request, { timeoutMs, signal: sendSignal, watcher: passage });
    return outcome;
  } finally {
    passage.leave(outcome);
    flights.end();
  }
}
