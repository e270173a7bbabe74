import type { ReplyInfo } from "../../rate-limiter/rules/records.ts";
import type { ExchangeObserver } from "../http/exchange.ts";
import type { AttemptOutcome } from "../http/outcome.ts";
import type { ReplyHead } from "../http/reply-head.ts";
import type { PetsApiOptions, SendObserver } from "../types.ts";
import { minusElapsed, type RequestedDelay, requestedDelay } from "./policy.ts";

/** The permit of one attempt, and who follows it. */
export interface AttemptPermit {
  readonly id: string;
  /** How many replies in a row have asked this request for a delay before. */
  readonly strikes: number;
  readonly observer: SendObserver | undefined;
}

type AttemptOptions = Pick<PetsApiOptions, "limiter" | "clock" | "random" | "signal">;

/** One send of a request that has a permit: gives the permit back, with what the reply says. */
export class Attempt implements ExchangeObserver {
  readonly #options: AttemptOptions;
  readonly #permit: AttemptPermit;
  #isAnnounced = false;
  #isDeferred = false;
  #observerError: { readonly error: unknown } | undefined;
  #reply: { readonly delay: RequestedDelay | undefined; readonly at: number } | undefined;

  constructor(options: AttemptOptions, permit: AttemptPermit) {
    this.#options = options;
    this.#permit = permit;
  }

  /** Whether it was connected but not sent: its permit had become void, or the command is ending. */
  get isDeferred(): boolean {
    return this.#isDeferred;
  }

  /** What the observer threw when a reply arrived. */
  get observerError(): { readonly error: unknown } | undefined {
    return this.#observerError;
  }

  /** Waits until the observer has recorded the send. Rejects with its error: then nothing may be sent. */
  async announce(): Promise<void> {
    await this.#permit.observer?.onSend();
    this.#isAnnounced = true;
  }

  beforeSend(): boolean {
    // Another process may have been refused while this one recorded the send, or connected.
    this.#isDeferred = this.#options.signal.aborted || !this.#isPermitValid();
    return !this.#isDeferred;
  }

  /** Records the reply before its body is read, so that other processes need not wait for that. */
  onHead(head: ReplyHead): void {
    const { limiter, clock, random } = this.#options;
    const strikes = Math.max(this.#permit.strikes, limiter.consecutiveRefusals);
    const delay = requestedDelay(head, { random, strikes });
    this.#reply = { delay, at: clock.monotonic() };
    limiter.complete(this.#permit.id, toReplyInfo(head, delay));
    this.#notify(() => this.#permit.observer?.onReply?.(head.storeId));
  }

  /** Gives the permit back if no reply did; `outcome` is undefined after an internal error. */
  finishPermit(outcome: AttemptOutcome | undefined): void {
    if (this.#reply !== undefined) return;
    const { limiter } = this.#options;
    const isUnused = !this.#isAnnounced || (outcome !== undefined && isUnsent(outcome));
    if (isUnused) limiter.cancel(this.#permit.id);
    else limiter.markLost(this.#permit.id);
  }

  /** Returns the rest of the delay that the reply asked for. */
  remainingDelay(): RequestedDelay | undefined {
    if (this.#reply?.delay === undefined) return undefined;
    return minusElapsed(this.#reply.delay, this.#options.clock.monotonic() - this.#reply.at);
  }

  #isPermitValid(): boolean {
    return this.#options.limiter.revalidate(this.#permit.id);
  }

  #notify(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#observerError = { error };
    }
  }
}

/** Returns whether the service can't have got the request. */
export function isUnsent(outcome: AttemptOutcome): boolean {
  if (outcome.kind === "aborted") return !outcome.sent;
  return outcome.kind === "never_sent" || outcome.kind === "tls";
}

/** Returns what the rate limiter learns from the head of a reply that asked for `delay`. */
export function toReplyInfo(
  { status, rateLimit }: ReplyHead,
  delay: RequestedDelay | undefined,
): ReplyInfo {
  // An invalid key has no limits: those of a 401 belong to the caller's address.
  const limits = status === 401 ? {} : rateLimit;
  return { status, limits, ...(delay && { waitMs: delay.announcedMs }) };
}
