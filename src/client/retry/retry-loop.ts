import { isLoopbackHost } from "../../core/loopback.ts";
import { Exchange } from "../exchange.ts";
import { cancelledFailure, type FinalOutcome } from "../failures.ts";
import { type AttemptOutcome, describeOutcome, headOf } from "../http/outcome.ts";
import type { ReplyHead } from "../http/reply-head.ts";
import type { HttpRequest } from "../http/sender.ts";
import type { PetsApiOptions, SendObserver } from "../types.ts";
import { type Budget, PermitQueue } from "./permit-queue.ts";
import {
  decideRetry,
  type RequestedDelay,
  requestedDelay,
  type RetryCause,
  toReplyInfo,
} from "./policy.ts";

/** The resolution of the limiter's times: as a tolerance, so that a wait of 3 s fits a `--max-wait` of 3 s. */
const clockToleranceMs = 20;

/** Sends requests, and sends them again as often as `help rate-limits` says. */
export class RequestRunner {
  readonly exchange: Exchange;
  readonly #options: PetsApiOptions;
  readonly #permits: PermitQueue;
  /** How often in a row the service has refused (429) requests of this client; those in flight together count once. */
  #refusals = 0;

  constructor(options: PetsApiOptions) {
    const { signal, sendSignal = signal } = options;
    this.#options = options;
    this.exchange = new Exchange({ ...options, signal: sendSignal, connectSignal: signal });
    this.#permits = new PermitQueue(options);
  }

  /** Sends `request` until its outcome is final. Rejects with a Failure where it may not be sent, or is cancelled. */
  async run(request: HttpRequest, observer?: SendObserver): Promise<FinalOutcome> {
    const { baseUrl, limiter, signal, clock, maxWaitMs, secrets } = this.#options;
    const roomMs = maxWaitMs === 0 ? 0 : maxWaitMs + clockToleranceMs;
    const budget: Budget = { attempts: 0, roomMs };
    const history: RetryCause[] = [];
    for (;;) {
      const { outcome, requested } = await this.#attempt(request, budget, observer);
      if (isUnsent(outcome)) observer?.onRefused();
      if (outcome.kind !== "withheld" && (outcome.kind !== "aborted" || outcome.sent)) {
        budget.attempts += 1;
        const { attempts } = budget;
        if (outcome.kind === "aborted") {
          const inDoubt = request.method === "POST";
          throw cancelledFailure(signal.reason, attempts, inDoubt, this.#options);
        }
        const storeId = headOf(outcome)?.storeId;
        observer?.onReply?.(storeId && secrets.inReply(storeId));
        const decision = decideRetry({
          ...this.#options,
          roomMs: budget.roomMs,
          method: request.method,
          outcome,
          history,
          isLocal: isLoopbackHost(baseUrl.hostname),
          requested,
          backoffMs: requested === undefined ? 0 : limiter.backoffMs,
          refusals: limiter.isFallback ? 0 : this.#refusals,
          now: clock.now(),
        });
        if (!decision.retry) return { outcome, decision, attempts };
        if (outcome.kind === "reply") observer?.onRefused();
        // Without the shared server, other machines may use up the limit (`help fleet`).
        if (decision.cause !== "rate_limited" || !limiter.isFallback) history.push(decision.cause);
        const what = describeOutcome(outcome, "the service");
        // `pets status` may find that the service is available again.
        const early = decision.cause === "unavailable" ? this.#permits.endOf("blocked") : undefined;
        await this.#permits.wait({ what, ms: decision.delayMs }, budget, early);
      }
      this.#permits.throwIfCancelled(budget);
      await observer?.onRetry?.();
    }
  }

  /** Sends once with a permit, and gives it back with what the reply says, before its body is read. */
  async #attempt(request: HttpRequest, budget: Budget, observer?: SendObserver) {
    using permit = await this.#permits.acquire(budget);
    const { limiter, random, signal } = this.#options;
    const refusals = this.#refusals;
    let requested: RequestedDelay | undefined;
    // Another process may have been refused while this one recorded the send, or connected.
    const beforeSend = (): boolean => !signal.aborted && permit.isValid();
    const onHead = (head: ReplyHead): void => {
      requested = requestedDelay(head, { random, strikes: limiter.consecutiveRefusals });
      permit.complete(toReplyInfo(head, requested));
    };
    await observer?.onSend();
    permit.isSent = true;
    const hooks = { beforeSend, onHead };
    const outcome = await this.exchange.send(request, budget.attempts + 1, hooks);
    permit.isSent = !isUnsent(outcome);
    // A late reply says nothing about what happened after its request was sent.
    if (outcome.kind === "reply" && refusals === this.#refusals)
      this.#refusals = outcome.reply.status === 429 ? refusals + 1 : 0;
    return { outcome, requested };
  }
}

/** Returns whether the service can't have got the request. */
function isUnsent(outcome: AttemptOutcome): boolean {
  if (outcome.kind === "aborted") return !outcome.sent;
  return outcome.kind === "never_sent" || outcome.kind === "withheld";
}
