import { isLoopbackHost } from "../../core/loopback.ts";
import { toEvents } from "../events.ts";
import { cancelledFailure, type FinalOutcome } from "../failures.ts";
import { type AttemptOutcome, describeOutcome, headOf } from "../http/outcome.ts";
import type { ReplyHead } from "../http/reply-head.ts";
import { createSender, type HttpRequest, type Sender } from "../http/sender.ts";
import { createRedaction, type Redaction } from "../redaction.ts";
import type { PetsApiOptions, SendObserver } from "../types.ts";
import { PermitQueue, type Used } from "./permit-queue.ts";
import {
  decideRetry,
  type RequestedDelay,
  requestedDelay,
  type RetryCause,
  toReplyInfo,
} from "./policy.ts";

/** The resolution of the limiter's times: as a tolerance, so that a wait of 3 s fits a `--max-wait` of 3 s. */
const clockToleranceMs = 20;

const deferred = "not sent: another process hit a rate limit while connecting,";

/** Sends requests, and sends them again as often as `help rate-limits` says. */
export class RequestRunner {
  readonly redaction: Redaction;
  readonly #options: PetsApiOptions;
  readonly #send: Sender;
  readonly #permits: PermitQueue;
  /** How often in a row the service has refused (429) requests of this client; those in flight together count once. */
  #refusals = 0;
  /** Of the base URL, which computes these on each access. */
  readonly #place: { readonly origin: string; readonly host: string; readonly isLocal: boolean };

  /** Throws a usage Failure if the environment names a proxy that can't be used. */
  constructor(given: PetsApiOptions) {
    const { baseUrl, apiKey, maxWaitMs, signal, sendSignal = signal } = given;
    const tolerance = maxWaitMs === 0 ? 0 : clockToleranceMs;
    this.#options = { ...given, maxWaitMs: maxWaitMs + tolerance };
    this.redaction = createRedaction(apiKey);
    this.#send = createSender({ ...given, signal: sendSignal });
    this.#permits = new PermitQueue(this.#options);
    const { origin, host, hostname } = baseUrl;
    this.#place = { origin, host, isLocal: isLoopbackHost(hostname) };
  }

  /**
   * Sends `request` until its outcome is final. Rejects with a Failure only when the command is cancelled, or when the
   * request may not be sent (again) within `--max-wait`.
   */
  async run(request: HttpRequest, observer?: SendObserver): Promise<FinalOutcome> {
    const { limiter, signal, clock } = this.#options;
    const used: Used = { waitedMs: 0, attempts: 0 };
    const history: RetryCause[] = [];
    for (;;) {
      const permit = await this.#permits.acquire(used);
      const attempt = await this.#attempt(request, permit, used.attempts + 1, observer);
      const { outcome, requested, isDeferred } = attempt;
      if (isUnsent(outcome)) observer?.onRefused();
      if (!isDeferred) {
        used.attempts += 1;
        if (outcome.kind === "aborted") {
          const inDoubt = outcome.sent && request.method === "POST";
          throw cancelledFailure(signal.reason, used.attempts, inDoubt, this.#options);
        }
        const storeId = headOf(outcome)?.storeId;
        observer?.onReply?.(storeId && this.redaction.text(storeId));
        const decision = decideRetry({
          ...this.#options,
          ...used,
          method: request.method,
          outcome,
          history,
          isLocal: this.#place.isLocal,
          requested,
          backoffMs: requested === undefined ? 0 : limiter.backoffMs,
          refusals: limiter.isFallback ? 0 : this.#refusals,
          now: clock.now(),
        });
        if (!decision.retry) return { outcome, decision, attempts: used.attempts };
        if (outcome.kind === "reply") observer?.onRefused();
        // Without the shared server, other machines may use up the limit (`help fleet`).
        if (decision.cause !== "rate_limited" || !limiter.isFallback) history.push(decision.cause);
        const what = describeOutcome(outcome, "the service");
        await this.#permits.wait({ ...decision.delay, what }, used);
        used.waitedMs += decision.delay.ms;
      }
      this.#permits.throwIfCancelled(used);
      await observer?.onRetry?.();
    }
  }

  /** Sends once with `permit`, and gives it back with what the reply says, before its body is read. */
  async #attempt(
    request: HttpRequest,
    permit: string,
    number: number,
    observer: SendObserver | undefined,
  ) {
    const { limiter, random, signal, clock, onEvent } = this.#options;
    const { redaction } = this;
    const { origin, host } = this.#place;
    const url = redaction.name(`${origin}${request.path}`);
    onEvent({ type: "request", method: request.method, url, attempt: number });
    const start = clock.monotonic();
    const refusals = this.#refusals;
    let outcome: AttemptOutcome;
    let requested: RequestedDelay | undefined;
    let isUnused = true;
    // Whether it was connected but not sent: its permit had become void, or the command is ending.
    let isDeferred = false;
    let hasReply = false;
    const beforeSend = (): boolean => {
      // Another process may have been refused while this one recorded the send, or connected.
      isDeferred = signal.aborted || !limiter.revalidate(permit);
      return !isDeferred;
    };
    const onHead = (head: ReplyHead): void => {
      hasReply = true;
      requested = requestedDelay(head, { random, strikes: limiter.consecutiveRefusals });
      limiter.end(permit, toReplyInfo(head, requested));
    };
    try {
      await observer?.onSend();
      isUnused = false;
      outcome = await this.#send(request, { beforeSend, onHead });
      isUnused = isUnsent(outcome);
    } finally {
      if (isUnused) limiter.end(permit, "release");
      else if (!hasReply) limiter.end(permit, "lost");
      this.#permits.end();
    }
    const ms = clock.monotonic() - start;
    if (isDeferred) onEvent({ type: "failure", what: deferred, ms });
    else for (const event of toEvents(outcome, { ms, host, redaction })) onEvent(event);
    // A late reply says nothing about what happened after its request was sent.
    if (outcome.kind === "reply" && refusals === this.#refusals)
      this.#refusals = outcome.reply.status === 429 ? refusals + 1 : 0;
    return { outcome, requested, isDeferred };
  }
}

/** Returns whether the service can't have got the request. */
function isUnsent(outcome: AttemptOutcome): boolean {
  if (outcome.kind === "aborted") return !outcome.sent;
  return outcome.kind === "never_sent" || outcome.kind === "tls";
}
