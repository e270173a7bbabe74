import type { Machine } from "../platform/io.ts";
import { newPermitId, OwnPermits } from "./own-permits.ts";
import { ProcessLog, type ProcessLogOptions } from "./process-log.ts";
import { type Asker, decide, type PermitDecision, recheckPermit } from "./rules/decision.ts";
import type { LimiterEvent, PermitEvent, ReplyInfo, Timestamp } from "./rules/records.ts";
import { expirePermits } from "./rules/reducer.ts";
import { newsFor } from "./rules/snapshot.ts";
import { isBlank, type LimiterState } from "./rules/state.ts";
import { type LimiterStatus, statusOf } from "./rules/status.ts";
import { canReusePermit, isEffectivelyUnlimited, isUninformative } from "./rules/unlimited.ts";
import type { AcquireResult, Limiter } from "./types.ts";

/** The interval of the search for dead processes, in ms: waiting requests ask many times a second. */
const sweepIntervalMs = 100;

export interface LocalLimiterOptions extends ProcessLogOptions {
  readonly machine: Pick<Machine, "pid" | "isAlive">;
  readonly random: () => number;
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
  #sweptAt = Number.NEGATIVE_INFINITY;
  #bulk: { readonly openRows: () => number; readonly reservePercent: number } | undefined;
  readonly isFallback = false;
  /** Called with what happens to permits: those of this process, and those of dead ones. */
  onEvent: ((event: PermitEvent) => void) | undefined;
  /** Returns what the machines of a fleet share, while they do: someone may have emptied it. */
  fleetState = (): LimiterState | undefined => undefined;

  constructor(options: LocalLimiterOptions) {
    this.#options = options;
    this.#log = new ProcessLog(options);
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
    const cached = this.#decideCached(asker);
    const decision = cached.go ? cached : this.#decideFresh(asker);
    if (!decision.go) return decision;
    this.#permits.set(id, {});
    const { pid } = this.#options.machine;
    this.#log.write({ kind: decision.probe ? "probe" : "reserve", id, pid, lifeMs });
    const rechecked = this.#recheckPermit(id, asker);
    if (!rechecked.go) {
      this.cancel(id);
      return rechecked;
    }
    if (rechecked.probe) this.keepAlive(id);
    return { go: true, id };
  }

  peek(): PermitDecision {
    return this.#decideFresh(this.asker());
  }

  revalidate(id: string): boolean {
    this.#log.refresh();
    return this.#permits.get(id)?.isReused ? this.#isUnlimited() : this.#recheckPermit(id).go;
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
    this.#log.refresh();
    const { uptime } = this.#advance();
    return Math.max(0, (this.#log.state.backoff?.until ?? 0) - uptime);
  }

  status(): LimiterStatus {
    this.#log.refresh();
    const now = this.#advance();
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
    this.#permits.keepAlive(id, () => {
      this.#log.write(event);
      this.onEvent?.(event);
    });
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
      (each) => canReusePermit(each, this.#log.state, uptime) && this.#isUnlimited(),
    );
    if (event === undefined || !("id" in event)) return undefined;
    this.#permits.set(event.id, { isReused: true });
    return event.id;
  }

  /** Decides what a new request may do, by all records, deferred and unread ones included. */
  #decideFresh(asker: Asker): PermitDecision {
    this.#log.refresh();
    return this.#decideCached(asker);
  }

  /** Decides the same by the records that were read so far. */
  #decideCached(asker: Asker): PermitDecision {
    const { uptime } = this.#advance();
    return decide(this.#log.state, uptime, asker);
  }

  #recheckPermit(id: string, asker?: Asker): PermitDecision {
    return recheckPermit(this.#log.state, this.#options.now().uptime, id, asker);
  }

  #isUnlimited(): boolean {
    const { uptime } = this.#advance();
    return isEffectivelyUnlimited(this.#log.state, uptime);
  }

  /** Sweeps dead processes and expires permits in the state that was read so far, and returns its time. */
  #advance(): Timestamp {
    const now = this.#options.now();
    if (now.uptime - this.#sweptAt >= sweepIntervalMs) this.#sweep(now.uptime);
    expirePermits(this.#log.state, now.uptime);
    return now;
  }

  /** Ends the permits of dead processes: their requests count as sent (`help rate-limits`). */
  #sweep(now: number): void {
    const { machine } = this.#options;
    this.#sweptAt = now;
    this.#log.flush();
    for (const { id, pid } of this.#log.state.permits.values()) {
      // Process ids are reused: in a container each command may have the same.
      const isAlive = pid === machine.pid ? this.#permits.has(id) : machine.isAlive(pid);
      if (!isAlive) this.#record({ kind: "lost", id });
    }
  }

  /** Records the end of a permit without a reply. */
  #record(event: PermitEvent): void {
    this.#permits.delete(event.id);
    this.#log.write(event);
    this.onEvent?.(event);
  }
}
