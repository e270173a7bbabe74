import type { ReplyInfo } from "../../rate-limiter/log/records.ts";
import type { ExchangeObserver } from "../http/exchange.ts";
import type { Outcome } from "../http/outcome.ts";
import type { ReplyHead } from "../http/reply-head.ts";
import type { PetsApiOptions, SendObserver } from "../types.ts";
import { type RequestedDelay, requestedDelay } from "./policy.ts";

/** What is told of one passage. */
export interface AttemptOptions {
  /** Its place at the gate. */
  readonly id: string;
  /** How often in a row replies have asked to wait before it. */
  readonly strikes: number;
  readonly watcher: SendObserver | undefined;
}

/** Where the watcher takes longer than this, in ms (it waits for a disk), others may have been told to wait. */
const slowObserverMs = 1;

/** One send of a request that has its place at the gate. */
export class Attempt implements ExchangeObserver {
  readonly #options: PetsApiOptions;
  readonly #request: AttemptOptions;
  #held = false;
  #refusal: { readonly error: unknown } | undefined;
  #reply: { readonly remainingDelay: RequestedDelay | undefined; readonly at: number } | undefined;

  constructor(options: PetsApiOptions, request: AttemptOptions) {
    this.#options = options;
    this.#request = request;
  }

  /** Whether it was kept back when it could be sent: the gate had closed, or all is to end. */
  get isDeferred(): boolean {
    return this.#held;
  }

  /** What the watcher threw in place of letting it be sent. */
  get observerError(): { readonly error: unknown } | undefined {
    return this.#refusal;
  }

  beforeSend(): boolean {
    const { clock, signal } = this.#options;
    const { watcher } = this.#request;
    this.#held = signal.aborted || !this.#mayStillGo();
    if (this.#held) return false;
    const start = clock.monotonic();
    this.#tell(() => watcher?.onSend());
    if (this.#refusal !== undefined) return false;
    this.#held = clock.monotonic() - start > slowObserverMs && !this.#mayStillGo();
    if (this.#held) this.#tell(() => watcher?.onRefused());
    return !this.#held;
  }

  // Others must not have to wait for the body.
  onHead(head: ReplyHead): void {
    const { gate, clock, random } = this.#options;
    const { id, strikes } = this.#request;
    const remainingDelay = requestedDelay(head, {
      random,
      strikes: Math.max(strikes, gate.consecutiveRefusals),
    });
    this.#reply = { remainingDelay, at: clock.monotonic() };
    gate.complete(id, toReplyInfo(head, remainingDelay));
  }

  /** Gives the place back, once it is known how the send ended; undefined where it failed in here. */
  finishPermit(outcome: Outcome | undefined): void {
    if (this.#reply !== undefined) return;
    const { gate } = this.#options;
    if (outcome !== undefined && isUnsent(outcome)) gate.cancel(this.#request.id);
    else gate.markLost(this.#request.id);
  }

  /** The wait that the reply asked for, or a longer one that another was asked for, from now on. */
  remainingDelay(): RequestedDelay | undefined {
    const { gate, clock } = this.#options;
    if (this.#reply?.remainingDelay === undefined) return undefined;
    const hold = gate.peek();
    const least = !hold.go && hold.reason === "blocked" ? hold.ms : 0;
    return minusElapsed(this.#reply.remainingDelay, clock.monotonic() - this.#reply.at, least);
  }

  #mayStillGo(): boolean {
    return this.#options.gate.revalidate(this.#request.id);
  }

  #tell(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#refusal = { error };
    }
  }
}

function isUnsent(outcome: Outcome): boolean {
  if (outcome.kind === "aborted") return !outcome.sent;
  return outcome.kind === "never_sent" || outcome.kind === "tls";
}

/** What is left of a wait `passed` ms after it was asked for, and at least `least` ms. */
function minusElapsed(
  { ms, extraMs, announcedMs }: RequestedDelay,
  passed: number,
  least: number,
): RequestedDelay {
  return {
    ms: Math.max(least, ms - passed),
    extraMs,
    announcedMs: Math.max(least, announcedMs - passed),
  };
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
