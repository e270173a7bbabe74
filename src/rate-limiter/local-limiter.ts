import { errorMessage } from "../core/errors.ts";
import type { Machine } from "../platform/io.ts";
import { type EventLog, inMemoryLog } from "./log/event-log.ts";
import { type Asker, decide, type PermitDecision, recheckPermit } from "./rules/decision.ts";
import type { LimiterEvent, PermitEvent, ReplyInfo, Timestamp } from "./rules/records.ts";
import { expirePermits } from "./rules/reducer.ts";
import { newsFor } from "./rules/snapshot.ts";
import type { LimiterState } from "./rules/state.ts";
import { type LimiterStatus, statusOf } from "./rules/status.ts";
import type { AcquireResult, Limiter } from "./types.ts";

/** The interval of the search for dead processes: waiting requests ask many times a second. */
const sweepIntervalMs = 100;
const heartbeatMs = 3000;

export interface LocalLimiterOptions {
  /** Open the shared log, at one place after the other; each throws if it can't be used. */
  readonly logs: readonly ((now: () => Timestamp) => EventLog)[];
  readonly now: () => Timestamp;
  readonly machine: Pick<Machine, "pid" | "isAlive" | "tickMs">;
  readonly random: () => number;
  /** Called with the reason why a log could not be used, and the folder of the next; undefined if none can be shared. */
  readonly onMoved: (reason: string, folder: string | undefined) => void;
  /** Called with what happens to permits: those of this process, and those of dead ones. */
  readonly onEvent?: ((event: PermitEvent) => void) | undefined;
}

/** The limiter of all processes of a user (`help rate-limits`); without a usable log, of this process. It never throws. */
export class LocalLimiter implements Limiter {
  readonly #options: LocalLimiterOptions;
  /** The shared log, once it was used; if none can be, one for this process alone. */
  #log: EventLog | undefined;
  /** Whether that is not kept where it should be. */
  #isMoved = false;
  /** The ids of the open permits of this process, and the timers of their signs of life, if any. */
  readonly #permits = new Map<string, NodeJS.Timeout | undefined>();
  #sweptAt = Number.NEGATIVE_INFINITY;
  #import: { readonly openRows: () => number; readonly reservePercent: number } | undefined;
  readonly isFallback = false;

  constructor(options: LocalLimiterOptions) {
    this.#options = options;
  }

  shareFairly(openRows: () => number, reservePercent = 0): void {
    this.#import = { openRows, reservePercent };
  }

  tryAcquire(lifeMs: number, despite503 = false): AcquireResult {
    const { now, machine, random } = this.#options;
    const id = Math.floor(random() * 36 ** 10).toString(36);
    const asker = this.asker(id, despite503);
    // A decision to send by what was read so far is checked below, by the records that are read after the new one.
    if (!this.#decide(asker).go) this.#refresh();
    const decision = this.#decide(asker);
    if (!decision.go) return decision;
    this.#permits.set(id, undefined);
    this.#write({ kind: decision.probe ? "probe" : "reserve", id, pid: machine.pid, lifeMs });
    const rechecked = recheckPermit(this.#state, now().uptime, asker);
    if (!rechecked.go) {
      this.end(id, "release");
      return rechecked;
    }
    if (rechecked.probe) this.keepAlive(id);
    return { go: true, id };
  }

  peek(): PermitDecision {
    this.#refresh();
    return this.#decide(this.asker());
  }

  revalidate(id: string): boolean {
    this.#refresh();
    return recheckPermit(this.#state, this.#options.now().uptime, { id }).go;
  }

  complete(id: string, reply: ReplyInfo): void {
    this.#end({ kind: "reply", id, ...reply });
  }

  end(id: string, how: "release" | "lost"): void {
    this.#end({ kind: how, id });
  }

  get folder(): string | undefined {
    return this.#withLog(() => {}).folder;
  }

  get consecutiveRefusals(): number {
    return this.#state.strikes;
  }

  get backoffMs(): number {
    this.#refresh();
    return Math.max(0, (this.#state.backoff?.until ?? 0) - this.#options.now().uptime);
  }

  status(): LimiterStatus {
    this.#refresh();
    const now = this.#advance();
    const status = statusOf(this.#state, now, this.asker());
    return this.#isMoved ? { ...status, movedTo: this.folder ?? null } : status;
  }

  /** Returns the Asker for a request of this process, which may have the permit `id`. */
  asker(id?: string, despite503 = false): Asker {
    if (this.#import === undefined) return { id, despite503 };
    const { openRows, reservePercent } = this.#import;
    const others = this.#permits.size - (id !== undefined && this.#permits.has(id) ? 1 : 0);
    return { id, despite503, rowsLeft: Math.max(1, openRows() - others), reservePercent };
  }

  async sync(): Promise<void> {}

  async close(): Promise<void> {}

  /** Records signs of life of the permit `id` until it ends; that keeps no process alive. */
  keepAlive(id: string): void {
    if (this.#permits.get(id) !== undefined) return;
    const beat = (): void => this.#record({ kind: "alive", id });
    this.#permits.set(id, setInterval(beat, heartbeatMs).unref());
  }

  /** Records what the state of a log that machines share says and this one does not. */
  learn(source: LimiterState): void {
    const now = this.#options.now().uptime;
    for (const event of newsFor(this.#state, source, now)) this.#write(event);
    const { until = 0, bannedUntil = 0, since = 0 } = this.#state.backoff ?? {};
    const isOver = (source.backoff?.until ?? 0) <= now && source.repliedAt >= since;
    // A 503 is no ban: another machine may have found that the service is back.
    if (until > now && bannedUntil <= now && isOver) this.#write({ kind: "lift" });
  }

  /** Returns what this log knows and the shared one with the state `target` does not, and the requests in flight. */
  newsFor(target: LimiterState): readonly LimiterEvent[] {
    this.#refresh();
    // Across machines there are no process ids.
    return this.#news(this.#state, target, 0);
  }

  /** Returns what `state` says and `target` does not, and the requests of this process in flight. */
  #news(state: LimiterState, target: LimiterState, pid: number): readonly LimiterEvent[] {
    const now = this.#options.now().uptime;
    const inFlight = [...state.permits.values()]
      .filter(({ id }) => this.#permits.has(id) && !target.permits.has(id))
      .map(({ id, probe, expiresAt }): LimiterEvent => {
        return { kind: probe ? "probe" : "reserve", id, pid, lifeMs: expiresAt - now };
      });
    return [...newsFor(target, state, now), ...inFlight];
  }

  #decide(asker: Asker): PermitDecision {
    const { uptime } = this.#advance();
    return decide(this.#state, uptime, asker);
  }

  /** Sweeps dead processes and expires permits in the state that was read so far, and returns its time. */
  #advance(): Timestamp {
    const now = this.#options.now();
    if (now.uptime - this.#sweptAt >= sweepIntervalMs) this.#sweep(now.uptime);
    expirePermits(this.#state, now.uptime);
    return now;
  }

  /** Ends the permits of dead processes: their requests count as sent (`help rate-limits`). */
  #sweep(now: number): void {
    const { machine } = this.#options;
    this.#sweptAt = now;
    for (const { id, pid } of this.#state.permits.values()) {
      // Process ids are reused: in a container each command may have the same.
      const isAlive = pid === machine.pid ? this.#permits.has(id) : machine.isAlive(pid);
      if (!isAlive) this.end(id, "lost");
    }
  }

  #end(event: PermitEvent): void {
    clearInterval(this.#permits.get(event.id));
    this.#permits.delete(event.id);
    this.#record(event);
  }

  #record(event: PermitEvent): void {
    this.#write(event);
    this.#options.onEvent?.(event);
  }

  get #state(): LimiterState {
    return this.#withLog(() => {}).state;
  }

  #refresh(): void {
    this.#withLog((log) => log.refresh());
  }

  #write(event: LimiterEvent): void {
    this.#withLog((log) => this.#append(log, event));
  }

  #append(log: EventLog, event: LimiterEvent): void {
    const { now, machine } = this.#options;
    const stamp = now();
    // A record must never seem older than it is.
    log.append({ stamp: { ...stamp, uptime: stamp.uptime + machine.tickMs }, event });
  }

  /** Returns the log after `step`, which runs again on another log if it fails. */
  #withLog(step: (log: EventLog) => void): EventLog {
    if (this.#log === undefined) return this.#openLog(step);
    try {
      step(this.#log);
      return this.#log;
    } catch (error) {
      return this.#openLog(step, errorMessage(error));
    }
  }

  /** Opens the first log that can be used, with what is known so far; `reason` says why the last one can't be. */
  #openLog(step: (log: EventLog) => void, reason?: string): EventLog {
    const { logs, now, machine, onMoved } = this.#options;
    const known = this.#log?.state;
    let problem = reason;
    for (const open of [...logs, () => inMemoryLog(now, known)]) {
      try {
        const log = open(now);
        if (known !== undefined && log.state !== known)
          for (const event of this.#news(known, log.state, machine.pid)) this.#append(log, event);
        step(log);
        this.#log = log;
        this.#isMoved = open !== logs[0];
        if (problem !== undefined) onMoved(problem, log.folder);
        return log;
      } catch (error) {
        problem = errorMessage(error);
      }
    }
    throw new Error(problem);
  }
}
