import type { Clock, Machine } from "../platform/io.ts";
import { canReusePermit, type Decision, isUninformative, type WaitCondition } from "./decision.ts";
import { DeferredWriter } from "./deferred-writer.ts";
import { LogEvaluator } from "./evaluator.ts";
import { type EventLog, FallbackLog, type SharedLogOptions } from "./log/event-log.ts";
import type { LimiterEvent, ReplyInfo, Timestamp } from "./log/records.ts";
import { type LimiterStatus, statusOf } from "./status.ts";

/** What a gate needs. */
export interface GateOptions extends Omit<SharedLogOptions, "now"> {
  readonly clock: Pick<Clock, "now">;
  readonly machine: Machine;
  /** A random number from 0 up to 1. */
  readonly random: () => number;
  /** Does a step at the end of this turn of the event loop; `setImmediate` by default. */
  readonly soon?: (step: () => void) => void;
}

/** Whether a request may be sent, now, with this place; or what it has to wait for. */
export type AcquireResult =
  | { readonly go: true; readonly id: string }
  | (WaitCondition & { readonly go: false });

/**
 * The one door of all requests with a key to an origin, shared by all processes of the user
 * (rate-limits.md, The gate). Where the state can't be used, the rules hold within this process.
 * It throws nothing, and waits for nobody.
 */
export class RateLimiter {
  readonly #options: GateOptions;
  readonly #log: FallbackLog;
  /** The places of this process that are not given back. */
  readonly #permits = new Set<string>();
  /** Those of them that another request had before, as there are requests in plenty. */
  readonly #reused = new Set<string>();
  readonly #pen: DeferredWriter;
  /** Whether one of its requests has had its reply: most processes send no more than one. */
  #hasReply = false;
  readonly #lookout: LogEvaluator;

  constructor(options: GateOptions) {
    this.#options = options;
    const { clock, machine, openLog, onDegraded, soon = setImmediate } = options;
    const now = (): Timestamp => ({
      boot: machine.bootId(),
      uptime: machine.uptime(),
      wall: clock.now(),
    });
    this.#log = new FallbackLog({ openLog, now, onDegraded });
    this.#pen = new DeferredWriter({ log: this.#log, now, schedule: soon });
    const isOwn = (id: string): boolean => this.#permits.has(id);
    this.#lookout = new LogEvaluator({ machine, now, pen: this.#pen, isOwn });
  }

  /** Asks for a place for a request that will be over within `lifeMs`, or Infinity. */
  tryAcquire(lifeMs: number): AcquireResult {
    const id = permitId(this.#options.random());
    return this.#log.withLog((log) => {
      // Where the log fails half-way, this is done again without it.
      log.state.places.delete(id);
      const kept = this.#reusePermit(log);
      if (kept !== undefined) return { go: true, id: kept };
      // Whoever is let through by what is known reads what is new behind its own record.
      const known = this.#lookout.decideCached(log);
      const decision = known.go ? known : this.#lookout.decideFresh(log);
      if (!decision.go) return decision;
      this.#permits.add(id);
      const kind = decision.probe ? "probe" : "reserve";
      const { pid } = this.#options.machine;
      this.#pen.write(log, { kind, id, pid, lifeMs });
      const own = this.#lookout.recheckPermit(log, id);
      if (own.go) return { go: true, id };
      this.#finish(log, { kind: "release", id });
      return own;
    });
  }

  /** What a request without a place would be told now. */
  peek(): Decision {
    return this.#pen.withFlushedLog((log) => this.#lookout.decideFresh(log));
  }

  /** Whether the request with the place `id` may still be sent. */
  revalidate(id: string): boolean {
    return this.#pen.withFlushedLog((log) => {
      log.refresh();
      return this.#reused.has(id)
        ? this.#lookout.isUnlimitedNow(log)
        : this.#lookout.recheckPermit(log, id).go;
    });
  }

  /** The request of a place was not sent. */
  cancel(id: string): void {
    this.#pen.withFlushedLog((log) => this.#finish(log, { kind: "release", id }));
  }

  /** It may have been sent, and no reply came. */
  markLost(id: string): void {
    this.#pen.withFlushedLog((log) => this.#finish(log, { kind: "end", id }));
  }

  /** Its reply came just now. */
  complete(id: string, learned: ReplyInfo): void {
    const event = { kind: "reply", id, ...learned } as const;
    this.#drop(id);
    // Of many another begins when one has ended, as a rule: both are one write then, or none. What is
    // news must not be lost with the last one, behind which the process ends at once.
    const mayPutOff =
      this.#permits.size > 0
        ? learned.waitMs === undefined
        : this.#hasReply && isUninformative(learned);
    this.#hasReply = true;
    if (mayPutOff) this.#pen.defer(event);
    else this.#pen.withFlushedLog((log) => this.#pen.write(log, event));
  }

  /** How often in a row the service has refused a request. */
  get consecutiveRefusals(): number {
    return this.#pen.withFlushedLog((log) => log.state.strikes);
  }

  /** How long nobody may send from now on, in ms. */
  get backoffMs(): number {
    return this.#pen.withFlushedLog((log) => {
      const { uptime } = this.#lookout.sync(log);
      return Math.max(0, (log.state.block?.until ?? 0) - uptime);
    });
  }

  /** What is known; nothing is asked of the service. */
  status(): LimiterStatus {
    return this.#pen.withFlushedLog((log) => {
      const now = this.#lookout.sync(log);
      return statusOf(log.state, now);
    });
  }

  /** The place of a request that has just ended, where the next one may have it. */
  #reusePermit(log: EventLog): string | undefined {
    const now = this.#options.machine.uptime();
    const isLeft = (event: LimiterEvent): boolean => canReusePermit(event, log.state, now);
    // What others have written meanwhile is read before it is sent.
    if (!this.#pen.everyPending(isLeft) || !this.#lookout.isUnlimitedNow(log)) return undefined;
    const left = this.#pen.popPending();
    if (left === undefined || !("id" in left)) return undefined;
    this.#permits.add(left.id);
    this.#reused.add(left.id);
    return left.id;
  }

  #finish(log: EventLog, event: LimiterEvent & { readonly id: string }): void {
    this.#drop(event.id);
    this.#pen.write(log, event);
  }

  #drop(id: string): void {
    this.#permits.delete(id);
    this.#reused.delete(id);
  }
}

const digits = 10;
const ids = 36 ** digits;

/** An id for a place, of 10 digits and letters, from a random number of 0 up to 1. */
function permitId(random: number): string {
  return Math.floor(random * ids)
    .toString(36)
    .padStart(digits, "0");
}
