import { isLoopbackHost } from "../../core/loopback.ts";
import { toEvents } from "../events.ts";
import type { FinalOutcome } from "../failed-request.ts";
import { cancelledFailure } from "../failures.ts";
import type { HttpRequest } from "../http/exchange.ts";
import { describeOutcome, type AttemptOutcome } from "../http/outcome.ts";
import { createSender, type Sender } from "../http/sender.ts";
import { createRedaction, type Redaction } from "../redact.ts";
import type { ApiEvent, PetsApiOptions, SendObserver } from "../types.ts";
import { acquirePermit, type PermitRequest } from "./acquire-permit.ts";
import { Attempt, isUnsent } from "./attempt.ts";
import { countDelays, decideRetry, type RetryCause, type RetryDecision } from "./policy.ts";
import { InFlight, SerialQueue, type SharedQueue } from "./shared-queue.ts";

/** Sends requests, and sends them again as often as `help rate-limits` says. */
export interface RequestRunner {
  readonly redaction: Redaction;
  /**
   * Rejects with a Failure only when the command is cancelled, or when the request may not be sent
   * (again) within `--max-wait`.
   */
  run(request: HttpRequest, observer?: SendObserver): Promise<FinalOutcome>;
}

/** The resolution of the limiter's times, in ms: as a tolerance, so that a wait of 3 s fits a `--max-wait` of 3 s. */
const clockToleranceMs = 20;

/** Creates a RequestRunner; throws a usage Failure if the environment names a proxy that can't be used. */
export function createRequestRunner(given: PetsApiOptions): RequestRunner {
  const maxWaitMs = given.maxWaitMs === 0 ? 0 : given.maxWaitMs + clockToleranceMs;
  const options = { ...given, maxWaitMs };
  const { baseUrl, apiKey } = options;
  // A URL computes these on each access.
  const { origin, host } = baseUrl;
  const redaction = createRedaction(apiKey);
  const client = {
    options,
    origin,
    host,
    isLocal: isLoopbackHost(baseUrl.hostname),
    send: createSender({ ...options, signal: options.sendSignal ?? options.signal }),
    redaction,
    queue: new SerialQueue(),
    inFlight: new InFlight(),
    refusals: new RefusalCounter(),
  };
  return { redaction, run: (request, observer) => run(client, request, observer) };
}

/** What all requests of a client share. */
interface SharedClient extends SharedQueue {
  readonly options: PetsApiOptions;
  /** The origin of the service, for requests, and its host, for messages. */
  readonly origin: string;
  readonly host: string;
  /** Whether it is on this machine. */
  readonly isLocal: boolean;
  readonly send: Sender;
  readonly redaction: Redaction;
  readonly refusals: RefusalCounter;
}

/** Sends `request` until its outcome is final. */
async function run(
  client: SharedClient,
  request: HttpRequest,
  observer: SendObserver | undefined,
): Promise<FinalOutcome> {
  const { options } = client;
  const history: RetryCause[] = [];
  /** How many refusals did not use up a retry. */
  let forgiven = 0;
  let next: PermitRequest = { waitedMs: 0, attempts: 0 };
  for (;;) {
    const { id, waitedMs } = await acquirePermit(options, client, next);
    const attempts = forgiven + history.length + 1;
    const attempt = new Attempt(options, { id, strikes: countDelays(history), observer });
    const outcome = await sendOnce(client, request, attempt, attempts);
    next = { waitedMs, attempts: attempts - 1 };
    if (isUnsent(outcome)) observer?.onRefused();
    if (attempt.isDeferred) continue;
    if (outcome.kind === "aborted") {
      const inDoubt = outcome.sent && request.method === "POST";
      throw cancelledFailure(options.signal.reason, attempts, inDoubt);
    }
    const facts = { method: request.method, outcome, history, waitedMs };
    const decision = decide(client, attempt, facts);
    if (!decision.retry) return { outcome, decision, attempts };
    if (outcome.kind === "reply") observer?.onRefused();
    // Without the shared server, other machines may use up the limit (`help fleet`).
    if (decision.cause === "rate_limited" && options.limiter.isFallback) forgiven += 1;
    else history.push(decision.cause);
    const delay = { ...decision.delay, what: describeOutcome(outcome, "the service") };
    next = { waitedMs, attempts, delay };
  }
}

/** Asks the policy whether to try again, with what the client and all processes know. */
function decide(
  { options, refusals, isLocal }: SharedClient,
  attempt: Attempt,
  facts: Pick<Parameters<typeof decideRetry>[0], "method" | "outcome" | "history" | "waitedMs">,
): RetryDecision {
  const { limiter, clock, random, maxWaitMs, maxSends } = options;
  const requested = attempt.remainingDelay();
  return decideRetry({
    ...facts,
    isLocal,
    requested,
    backoffMs: requested === undefined ? 0 : limiter.backoffMs,
    refusals: limiter.isFallback ? 0 : refusals.consecutive,
    maxWaitMs,
    ...(maxSends !== undefined && { maxSends }),
    now: clock.now(),
    random,
  });
}

/** Sends once, and reports it. */
async function sendOnce(
  client: SharedClient,
  request: HttpRequest,
  attempt: Attempt,
  number: number,
): Promise<AttemptOutcome> {
  const { host, redaction, refusals } = client;
  const { clock, onEvent } = client.options;
  const url = redaction.name(`${client.origin}${request.path}`);
  onEvent({ type: "request", method: request.method, url, attempt: number });
  const start = clock.monotonic();
  const known = refusals.consecutive;
  const outcome = await sendWithPermit(client, request, attempt);
  if (attempt.observerError !== undefined) throw attempt.observerError.error;
  const ms = clock.monotonic() - start;
  const events = attempt.isDeferred
    ? [deferredEvent(ms)]
    : toEvents(outcome, { ms, host, redaction });
  for (const event of events) onEvent(event);
  if (outcome.kind === "reply") refusals.record(known, outcome.reply.status === 429);
  return outcome;
}

/** Returns the event for a request that was held back: another process was refused while it was connecting. */
function deferredEvent(ms: number): ApiEvent {
  return {
    type: "failure",
    what: "not sent: another process hit a rate limit while connecting,",
    ms,
  };
}

/** Sends, and gives the permit back whatever happens. */
async function sendWithPermit(
  { send, inFlight }: SharedClient,
  request: HttpRequest,
  attempt: Attempt,
): Promise<AttemptOutcome> {
  let outcome: AttemptOutcome | undefined;
  try {
    await attempt.announce();
    outcome = await send(request, attempt);
    return outcome;
  } finally {
    attempt.finishPermit(outcome);
    inFlight.remove();
  }
}

/**
 * Counts how often in a row the requests of one client were refused (429). Refusals of requests that
 * were in flight together count once.
 */
export class RefusalCounter {
  #consecutive = 0;

  /** A request remembers this when it is sent, for `record`. */
  get consecutive(): number {
    return this.#consecutive;
  }

  /** Records the reply to a request that was sent after `known` refusals in a row. */
  record(known: number, isRefused: boolean): void {
    // A late reply says nothing about what happened after its request was sent.
    if (known === this.#consecutive) this.#consecutive = isRefused ? known + 1 : 0;
  }
}
