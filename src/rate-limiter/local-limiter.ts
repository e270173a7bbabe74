import type { Clock, Machine } from "../platform/io.ts";
import type { Asker, PermitDecision } from "./rules/decision.ts";
import { LogEvaluator } from "./evaluator.ts";
import type { EventLog } from "./log/event-log.ts";
import type { LimiterEvent, ReplyInfo, Timestamp } from "./rules/records.ts";
import { type Every, startHeartbeat } from "./heartbeat.ts";
import { newsFor } from "./rules/news.ts";
import { newPermitId, OwnPermits } from "./own-permits.ts";
import { ProcessLog, type ProcessLogOptions } from "./process-log.ts";
import type { LimiterState } from "./rules/state.ts";
import { type LimiterStatus, statusOf } from "./rules/status.ts";
import type { AcquireResult, Limiter } from "./types.ts";
import { canReusePermit, isUninformative } from "./rules/unlimited.ts";

export interface LocalLimiterOptions extends Omit<ProcessLogOptions, "now" | "schedule"> {
  readonly clock: Pick<Clock, "now">;
  readonly machine: Machine;
  /** Returns a random number from 0 up to 1. */
  readonly random: () => number;
  /** Runs a step at the end of this turn of the event loop; `setImmediate` by default. */
  readonly schedule?: (step: () => void) => void;
  /** Repeats a step; by default with a timer that does not keep the process alive. */
  readonly every?: Every;
}

/**
 * Rate limiter of all requests with a key to an origin, shared by all processes of the user
 * (`help rate-limits`). Without a usable log the rules hold within this process. It never
 * throws, and never waits.
 */
export class LocalLimiter implements Limiter {
  readonly #options: LocalLimiterOptions;
  readonly #log: ProcessLog;
  readonly #permits = new OwnPermits();
  /** Whether a request of this process had a reply: most processes send only one. */
  #hasOwnReply = false;
  readonly #evaluator: LogEvaluator;
  #bulk: { readonly openRows: () => number; readonly reservePercent: number } | undefined;
  readonly isFallback = false;
  /** Called with each permit whose process was found dead. */
  onSwept: ((id: string) => void) | undefined;
  /** Returns whether requests wait for each other's responses while the limits are not known. */
  goesAlone = (): boolean => false;

  constructor(options: LocalLimiterOptions) {
    this.#options = options;
    const { clock, machine, openLog, onDegraded, schedule = setImmediate } = options;
    const now = (): Timestamp => ({
      boot: machine.bootId(),
      uptime: machine.uptime(),
      wall: clock.now(),
    });
    this.#log = new ProcessLog({ openLog, now, onDegraded, schedule });
    const isOwn = (id: string): boolean => this.#permits.has(id);
    const onSwept = (id: string): void => this.onSwept?.(id);
    this.#evaluator = new LogEvaluator({ machine, now, log: this.#log, isOwn, onSwept });
  }

  shareFairly(openRows: () => number, reservePercent = 0): void {
    this.#bulk = { openRows, reservePercent };
  }

  tryAcquire(lifeMs: number): AcquireResult {
    const id = newPermitId(this.#options.random);
    return this.#log.use((log) => {
      // If the log fails half-way, this step runs again without it.
      log.state.permits.delete(id);
      const reused = this.#reusePermit(log);
      if (reused !== undefined) return { go: true, id: reused };
      // A cached decision to send is checked below, by the records that are read after the new one.
      const asker = this.#asker();
      const cached = this.#evaluator.decideCached(log, asker);
      const decision = cached.go ? cached : this.#evaluator.decideFresh(log, asker);
      if (!decision.go) return decision;
      this.#permits.set(id, {});
      const kind = decision.probe ? "probe" : "reserve";
      const { pid } = this.#options.machine;
      this.#log.write(log, { kind, id, pid, lifeMs });
      const rechecked = this.#evaluator.recheckPermit(log, id, asker);
      if (rechecked.go) {
        if (rechecked.probe) this.#permits.set(id, { stop: this.#startHeartbeat(id) });
        return { go: true, id };
      }
      this.#finish(log, { kind: "release", id });
      return rechecked;
    });
  }

  peek(): PermitDecision {
    const asker = this.#asker();
    return this.#log.useFlushed((log) => this.#evaluator.decideFresh(log, asker));
  }

  revalidate(id: string): boolean {
    return this.#log.useFlushed((log) => {
      log.refresh();
      return this.#permits.get(id)?.isReused
        ? this.#evaluator.isUnlimitedNow(log)
        : this.#evaluator.recheckPermit(log, id).go;
    });
  }

  cancel(id: string): void {
    this.#log.useFlushed((log) => this.#finish(log, { kind: "release", id }));
  }

  markLost(id: string): void {
    this.#log.useFlushed((log) => this.#finish(log, { kind: "lost", id }));
  }

  complete(id: string, info: ReplyInfo): void {
    const event = { kind: "reply", id, ...info } as const;
    this.#permits.delete(id);
    // With others in flight, the next request usually follows at once and shares the write. The last
    // reply is written now unless it contains no news: the process may end right after it.
    const mayDefer =
      this.#permits.size > 0
        ? info.waitMs === undefined
        : this.#hasOwnReply && isUninformative(info);
    this.#hasOwnReply = true;
    if (mayDefer) this.#log.defer(event);
    else this.#log.useFlushed((log) => this.#log.write(log, event));
  }

  get consecutiveRefusals(): number {
    return this.#log.useFlushed((log) => log.state.strikes);
  }

  get backoffMs(): number {
    return this.#log.useFlushed((log) => {
      const { uptime } = this.#evaluator.sync(log);
      return Math.max(0, (log.state.backoff?.until ?? 0) - uptime);
    });
  }

  status(): LimiterStatus {
    return this.#log.useFlushed((log) => {
      const now = this.#evaluator.sync(log);
      return statusOf(log.state, now, this.#asker());
    });
  }

  /** Returns the Asker for the next request of this process. */
  #asker(): Asker {
    const goesAlone = this.goesAlone();
    if (this.#bulk === undefined) return { goesAlone };
    const { openRows, reservePercent } = this.#bulk;
    const rowsLeft = Math.max(1, openRows() - this.#permits.size);
    // Until the limits are known, as few requests as possible may be too many.
    return { rowsLeft, reservePercent, goesAlone: goesAlone || reservePercent > 0 };
  }

  async sync(): Promise<undefined> {}

  async close(): Promise<void> {}

  /** Records what another log of the same key knows and this one does not; `news` is called with its state. */
  learn(news: (state: LimiterState) => readonly LimiterEvent[]): void {
    this.#log.use((log) => {
      for (const event of news(log.state)) this.#log.write(log, event);
    });
  }

  /** Whether it knows about a response of the service. */
  get hasReply(): boolean {
    return this.#log.use(({ state }) => state.hasReply || state.lastObserved !== undefined);
  }

  /** Returns what this log knows at `now` and `target` does not. */
  newsFor(target: LimiterState, now: number): readonly LimiterEvent[] {
    return this.#log.useFlushed((log) => {
      log.refresh();
      return newsFor(target, log.state, now);
    });
  }

  #startHeartbeat(id: string): () => void {
    const beat = (log: EventLog): void => this.#log.write(log, { kind: "alive", id });
    return startHeartbeat(() => this.#log.useFlushed(beat), this.#options.every);
  }

  /** Returns the permit of a request that has just ended, if the next one may use it. */
  #reusePermit(log: EventLog): string | undefined {
    // Requests of such a permit are not counted.
    if (this.#bulk !== undefined && this.#bulk.reservePercent > 0) return undefined;
    const now = this.#options.machine.uptime();
    const isReusable = (event: LimiterEvent): boolean => canReusePermit(event, log.state, now);
    // Records that others have written in the meantime are read by `revalidate`, before the send.
    if (!this.#log.everyPending(isReusable) || !this.#evaluator.isUnlimitedNow(log))
      return undefined;
    const event = this.#log.popPending();
    if (event === undefined || !("id" in event)) return undefined;
    this.#permits.set(event.id, { isReused: true });
    return event.id;
  }

  #finish(log: EventLog, event: LimiterEvent & { readonly id: string }): void {
    this.#permits.delete(event.id);
    this.#log.write(log, event);
  }
}
