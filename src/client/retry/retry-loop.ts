import { isLoopbackHost } from "../../core/loopback.ts";
import type { HttpRequest } from "../http/exchange.ts";
import { type AttemptOutcome, describeOutcome, headOf } from "../http/outcome.ts";
import { createRedaction, type Redaction } from "../http/redact.ts";
import { createSender, type Sender } from "../http/sender.ts";
import { toEvents } from "../report/events.ts";
import type { FinalOutcome } from "../report/failed-request.ts";
import { cancelledFailure } from "../report/request-failure.ts";
import type { PetsApiOptions, SendObserver } from "../types.ts";
import { Attempt, isUnsent } from "./attempt.ts";
import { PermitQueue, type PermitRequest } from "./permit-queue.ts";
import {
  countDelays,
  decideRetry,
  type RetryCase,
  type RetryCause,
  type RetryDecision,
} from "./policy.ts";

/** The resolution of the limiter's times, in ms: as a tolerance, so that a wait of 3 s fits a `--max-wait` of 3 s. */
const clockToleranceMs = 20;

/** Sends requests, and sends them again as often as `help rate-limits` says. */
export class RequestRunner {
  readonly redaction: Redaction;
  readonly #options: PetsApiOptions;
  readonly #send: Sender;
  readonly #permits: PermitQueue;
  readonly #refusals = new RefusalCounter();
  readonly #isLocal: boolean;
  /** Of the base URL, which computes these on each access. */
  readonly #origin: string;
  readonly #host: string;

  /** Throws a usage Failure if the environment names a proxy that can't be used. */
  constructor(given: PetsApiOptions) {
    const { baseUrl, apiKey, maxWaitMs, signal, sendSignal = signal } = given;
    const tolerance = maxWaitMs === 0 ? 0 : clockToleranceMs;
    this.#options = { ...given, maxWaitMs: maxWaitMs + tolerance };
    this.redaction = createRedaction(apiKey);
    this.#send = createSender({ ...given, signal: sendSignal });
    this.#permits = new PermitQueue(this.#options);
    this.#isLocal = isLoopbackHost(baseUrl.hostname);
    this.#origin = baseUrl.origin;
    this.#host = baseUrl.host;
  }

  /**
   * Sends `request` until its outcome is final. Rejects with a Failure only when the command is cancelled, or when
   * the request may not be sent (again) within `--max-wait`.
   */
  async run(request: HttpRequest, observer?: SendObserver): Promise<FinalOutcome> {
    const { limiter, signal } = this.#options;
    const history: RetryCause[] = [];
    /** How many refusals did not use up a retry. */
    let forgiven = 0;
    let next: PermitRequest = { waitedMs: 0, attempts: 0 };
    for (;;) {
      const { id, waitedMs } = await this.#permits.acquire(next);
      const attempts = forgiven + history.length + 1;
      const attempt = new Attempt(this.#options, { id, strikes: countDelays(history), observer });
      const outcome = await this.#sendOnce(request, attempt, attempts);
      const onRetry = async (): Promise<void> => observer?.onRetry?.();
      next = { waitedMs, attempts: attempts - 1, onRetry };
      if (isUnsent(outcome)) observer?.onRefused();
      if (attempt.isDeferred) continue;
      if (outcome.kind === "aborted") {
        const inDoubt = outcome.sent && request.method === "POST";
        throw cancelledFailure(signal.reason, attempts, inDoubt);
      }
      const storeId = headOf(outcome)?.storeId;
      observer?.onReply?.(storeId && this.redaction.text(storeId));
      const decision = this.#decide(attempt, {
        method: request.method,
        outcome,
        history,
        waitedMs,
      });
      if (!decision.retry) return { outcome, decision, attempts };
      if (outcome.kind === "reply") observer?.onRefused();
      // Without the shared server, other machines may use up the limit (`help fleet`).
      if (decision.cause === "rate_limited" && limiter.isFallback) forgiven += 1;
      else history.push(decision.cause);
      const delay = { ...decision.delay, what: describeOutcome(outcome, "the service") };
      next = { waitedMs, attempts, delay, onRetry };
    }
  }

  /** Asks the policy whether to try again, with what the client and all processes know. */
  #decide(
    { requestedDelay: requested }: Attempt,
    facts: Pick<RetryCase, "method" | "outcome" | "history" | "waitedMs">,
  ): RetryDecision {
    const { limiter, clock } = this.#options;
    return decideRetry({
      ...this.#options,
      ...facts,
      isLocal: this.#isLocal,
      requested,
      backoffMs: requested === undefined ? 0 : limiter.backoffMs,
      refusals: limiter.isFallback ? 0 : this.#refusals.consecutive,
      now: clock.now(),
    });
  }

  async #sendOnce(request: HttpRequest, attempt: Attempt, number: number): Promise<AttemptOutcome> {
    const { clock, onEvent } = this.#options;
    const { redaction } = this;
    const url = redaction.name(`${this.#origin}${request.path}`);
    onEvent({ type: "request", method: request.method, url, attempt: number });
    const start = clock.monotonic();
    const known = this.#refusals.consecutive;
    const outcome = await this.#sendWithPermit(request, attempt);
    const ms = clock.monotonic() - start;
    if (attempt.isDeferred) onEvent({ type: "failure", what: deferred, ms });
    else for (const event of toEvents(outcome, { ms, host: this.#host, redaction })) onEvent(event);
    if (outcome.kind === "reply") this.#refusals.record(known, outcome.reply.status === 429);
    return outcome;
  }

  /** Sends, and gives the permit back whatever happens. */
  async #sendWithPermit(request: HttpRequest, attempt: Attempt): Promise<AttemptOutcome> {
    let outcome: AttemptOutcome | undefined;
    try {
      await attempt.announce();
      outcome = await this.#send(request, attempt);
      return outcome;
    } finally {
      attempt.finishPermit(outcome);
      this.#permits.end();
    }
  }
}

const deferred = "not sent: another process hit a rate limit while connecting,";

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
