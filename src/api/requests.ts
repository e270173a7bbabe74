import { describeOutcome } from "./describe.ts";
import { endedFailure } from "./ended.ts";
import { eventsOf } from "./events.ts";
import type { Settled } from "./failures.ts";
import { makeSender, type Sender } from "./http.ts";
import type { PetsApiOptions } from "./options.ts";
import type { HttpRequest, Outcome } from "./outcome.ts";
import { chooseProxy } from "./proxy.ts";
import { makeRedaction, type Redaction } from "./redact.ts";
import { judge, type Trouble } from "./retry.ts";
import type { Wait } from "./types.ts";

/** Sends requests as often as the rules say. */
export interface Requests {
  readonly redaction: Redaction;
  /** Rejects with a Failure only when the command is ended meanwhile. */
  settle(request: HttpRequest): Promise<Settled>;
}

/** Throws a usage Failure where the environment names a proxy that can't be used. */
export function makeRequests(options: PetsApiOptions): Requests {
  const { baseUrl, env, clock, apiKey } = options;
  const proxy = chooseProxy(baseUrl, env);
  const sender = makeSender({ origin: baseUrl.origin, proxy, monotonic: () => clock.monotonic() });
  const redaction = makeRedaction(apiKey);
  return {
    redaction,
    settle: (request) => settle({ options, sender, redaction }, request),
  };
}

interface Parts {
  readonly options: PetsApiOptions;
  readonly sender: Sender;
  readonly redaction: Redaction;
}

/** Sends `request` until it is answered for good or no more tries are left. */
async function settle(parts: Parts, request: HttpRequest): Promise<Settled> {
  const { clock, random, signal, maxWaitMs } = parts.options;
  const history: Trouble[] = [];
  let waitedMs = 0;
  for (;;) {
    if (signal.aborted) throw endedFailure(signal.reason, history.length, false);
    const attempts = history.length + 1;
    const outcome = await sendOnce(parts, request, attempts);
    if (outcome.kind === "aborted") {
      throw endedFailure(signal.reason, attempts, outcome.sent && request.method === "POST");
    }
    const facts = { method: request.method, outcome, history, waitedMs, maxWaitMs };
    const verdict = judge({ ...facts, now: clock.now(), random });
    if (!verdict.retry) return { outcome, verdict, attempts };
    const what = describeOutcome(outcome, "the service");
    await pause(parts.options, { what, reason: verdict.reason, ms: verdict.ms }, attempts);
    history.push(verdict.trouble);
    waitedMs += verdict.ms;
  }
}

async function pause(
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

/** One send, and the events that tell of it. */
async function sendOnce(
  { options, sender, redaction }: Parts,
  request: HttpRequest,
  attempt: number,
): Promise<Outcome> {
  const { clock, onEvent, timeoutMs, signal, baseUrl } = options;
  const url = `${baseUrl.origin}${request.path}`;
  onEvent({ type: "request", method: request.method, url, attempt });
  const start = clock.monotonic();
  const outcome = await sender.send(request, timeoutMs, signal);
  const ms = clock.monotonic() - start;
  const facts = { ms, now: clock.now(), host: baseUrl.host, redaction };
  for (const event of eventsOf(outcome, facts)) onEvent(event);
  return outcome;
}
