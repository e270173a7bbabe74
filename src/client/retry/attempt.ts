import type { ReplyInfo } from "../../rate-limiter/rules/records.ts";
import type { ExchangeObserver } from "../http/exchange.ts";
import type { AttemptOutcome } from "../http/outcome.ts";
import type { ReplyHead } from "../http/reply-head.ts";
import type { PetsApiOptions, SendObserver } from "../types.ts";
import { type RequestedDelay, requestedDelay } from "./policy.ts";

/** The permit of one attempt, and who follows it. */
export interface AttemptPermit {
  readonly id: string;
  /** How many replies in a row have asked this request for a delay before. */
  readonly strikes: number;
  readonly observer: SendObserver | undefined;
}

type AttemptOptions = Pick<PetsApiOptions, "limiter" | "random" | "signal">;

/** One send of a request that has a permit: gives the permit back, with what the reply says. */
export class Attempt implements ExchangeObserver {
  readonly #options: AttemptOptions;
  readonly #permit: AttemptPermit;
  #isAnnounced = false;
  #hasReply = false;
  /** Whether it was connected but not sent: its permit had become void, or the command is ending. */
  isDeferred = false;
  requestedDelay: RequestedDelay | undefined;

  constructor(options: AttemptOptions, permit: AttemptPermit) {
    this.#options = options;
    this.#permit = permit;
  }

  /** Waits until the observer has recorded the send. Rejects with its error: then nothing may be sent. */
  async announce(): Promise<void> {
    await this.#permit.observer?.onSend();
    this.#isAnnounced = true;
  }

  beforeSend(): boolean {
    // Another process may have been refused while this one recorded the send, or connected.
    const { signal, limiter } = this.#options;
    this.isDeferred = signal.aborted || !limiter.revalidate(this.#permit.id);
    return !this.isDeferred;
  }

  /** Records the reply before its body is read, so that other processes need not wait for that. */
  onHead(head: ReplyHead): void {
    const { limiter, random } = this.#options;
    const strikes = Math.max(this.#permit.strikes, limiter.consecutiveRefusals);
    this.#hasReply = true;
    this.requestedDelay = requestedDelay(head, { random, strikes });
    limiter.complete(this.#permit.id, toReplyInfo(head, this.requestedDelay));
  }

  /** Gives the permit back if no reply did; `outcome` is undefined after an internal error. */
  finishPermit(outcome: AttemptOutcome | undefined): void {
    if (this.#hasReply) return;
    const { limiter } = this.#options;
    const isUnused = !this.#isAnnounced || (outcome !== undefined && isUnsent(outcome));
    if (isUnused) limiter.cancel(this.#permit.id);
    else limiter.markLost(this.#permit.id);
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
  return { status, limits, waitMs: delay?.announcedMs };
}
