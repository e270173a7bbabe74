import type { Machine } from "../platform/io.ts";
import { LogEvaluator } from "./evaluator.ts";
import { type Every, newPermitId, OwnPermits } from "./own-permits.ts";
import { ProcessLog, type ProcessLogOptions } from "./process-log.ts";
import type { Asker, PermitDecision } from "./rules/decision.ts";
import { newsFor } from "./rules/snapshot.ts";
import type { LimiterEvent, PermitEvent, ReplyInfo } from "./rules/records.ts";
import { isBlank, type LimiterState } from "./rules/state.ts";
import { type LimiterStatus, statusOf } from "./rules/status.ts";
import { canReusePermit, isUninformative } from "./rules/unlimited.ts";
import type { AcquireResult, Limiter } from "./types.ts";

export interface LocalLimiterOptions extends ProcessLogOptions {
  readonly machine: Pick<Machine, "pid" | "isAlive">;
  /** Returns a random number from 0 up to 1. */
  readonly random: () => number;
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
  readonly #evaluator: LogEvaluator;
  readonly #permits = new OwnPermits();
  /** Whether a request of this process had a reply: most processes send only one. */
  #hasOwnReply = false;
  #bulk: { readonly openRows: () => number; readonly reservePercent: number } | undefined;
  readonly isFallback = false;
  /** Called with what happens to permits: those of this process, and those of dead ones. */
  onEvent: ((event: PermitEvent) => void) | undefined;
  /** Returns what the machines of a fleet share, while they do: someone may have emptied it. */
  fleetState = (): LimiterState | undefined => undefined;

  constructor(options: LocalLimiterOptions) {
    this.#options = options;
    this.#log = new ProcessLog(options);
    this.#evaluator = new LogEvaluator({
      ...options,
      log: this.#log,
      isOwn: (id) => this.#permits.has(id),
      onSwept: (id) => this.#record({ kind: "lost", id }),
    });
  }

  shareFairly(openRows: () => number, reservePercent = 0): void {
    this.#bulk = { openRows, reservePercent };
  }

  tryAcquire(lifeMs: number): AcquireResult {
    const reused = this.#reusePermit();
    if (reused !== undefined) return { go: true, id: reused };
    const id = newPermitId(this.#options.random);
    const asker = this.asker(id);
    // A cached decision to send is checked below, by the records that are read after the new one.
    const cached = this.#evaluator.decideCached(asker);
    const decision = cached.go ? cached : this.#evaluator.decideFresh(asker);
    if (!decision.go) return decision;
    this.#permits.set(id, {});
    const { pid } = this.#options.machine;
    this.#log.write({ kind: decision.probe ? "probe" : "reserve", id, pid, lifeMs });
    const rechecked = this.#evaluator.recheckPermit(id, asker);
    if (!rechecked.go) {
      this.cancel(id);
      return rechecked;
    }
    if (rechecked.probe) this.keepAlive(id);
    return { go: true, id };
  }

  peek(): PermitDecision {
    return this.#evaluator.decideFresh(this.asker());
  }

  revalidate(id: string): boolean {
    this.#log.refresh();
    return this.#permits.get(id)?.isReused
      ? this.#evaluator.isUnlimitedNow()
      : this.#evaluator.recheckPermit(id).go;
  }

  cancel(id: string): void {
    this.#record({ kind: "release", id });
  }

  markLost(id: string): void {
    this.#record({ kind: "lost", id });
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
    else this.#log.write(event);
    this.onEvent?.(event);
  }

  get consecutiveRefusals(): number {
    this.#log.flush();
    return this.#log.state.strikes;
  }

  get backoffMs(): number {
    const { uptime } = this.#evaluator.sync();
    return Math.max(0, (this.#log.state.backoff?.until ?? 0) - uptime);
  }

  status(): LimiterStatus {
    const now = this.#evaluator.sync();
    return statusOf(this.#log.state, now, this.asker());
  }

  /** Returns the Asker for a request of this process, which may have the permit `id`. */
  asker(id?: string): Asker {
    const goesAlone = [this.fleetState(), this.#log.state].every(
      (state) => state && isBlank(state),
    );
    if (this.#bulk === undefined) return { id, goesAlone };
    const { openRows, reservePercent } = this.#bulk;
    const others = this.#permits.size - (id !== undefined && this.#permits.has(id) ? 1 : 0);
    return { id, rowsLeft: Math.max(1, openRows() - others), reservePercent, goesAlone };
  }

  async sync(): Promise<undefined> {}

  async close(): Promise<void> {}

  /** Records signs of life of the permit `id` until it ends. */
  keepAlive(id: string): void {
    const event = { kind: "alive", id } as const;
    const beat = (): void => {
      this.#log.write(event);
      this.onEvent?.(event);
    };
    this.#permits.keepAlive(id, beat, this.#options.every);
  }

  /** Records what the state of another log of the same key says at `now` and this one does not. */
  learn(source: LimiterState, now: number): void {
    for (const event of newsFor(this.#log.state, source, now)) this.#log.write(event);
  }

  /** Returns what this log knows at `now` and `target` does not. */
  newsFor(target: LimiterState, now: number): readonly LimiterEvent[] {
    this.#log.refresh();
    return newsFor(target, this.#log.state, now);
  }

  /** Returns the permit of a request that has just ended, if the next one may use it. */
  #reusePermit(): string | undefined {
    // Requests of such a permit are not counted.
    if (this.#bulk !== undefined && this.#bulk.reservePercent > 0) return undefined;
    const { uptime } = this.#options.now();
    // Records that others have written in the meantime are read by `revalidate`, before the send.
    const event = this.#log.popPendingIf(
      (each) => canReusePermit(each, this.#log.state, uptime) && this.#evaluator.isUnlimitedNow(),
    );
    if (event === undefined || !("id" in event)) return undefined;
    this.#permits.set(event.id, { isReused: true });
    return event.id;
  }

  /** Records the end of a permit without a reply. */
  #record(event: PermitEvent): void {
    this.#permits.delete(event.id);
    this.#log.write(event);
    this.onEvent?.(event);
  }
}
