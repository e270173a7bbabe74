import type { Machine } from "../platform/io.ts";
import { type Asker, decide, type PermitDecision } from "./rules/decision.ts";
import type { ProcessLog } from "./process-log.ts";
import type { Timestamp } from "./rules/records.ts";
import { expirePermits } from "./rules/reducer.ts";
import { isEffectivelyUnlimited } from "./rules/unlimited.ts";

/** The interval of the search for dead processes, in ms: waiting requests ask many times a second. */
const sweepIntervalMs = 100;

export interface LogEvaluatorOptions {
  readonly machine: Pick<Machine, "pid" | "isAlive">;
  readonly now: () => Timestamp;
  readonly log: ProcessLog;
  /** Returns true if this process has the permit `id`. */
  readonly isOwn: (id: string) => boolean;
  /** Called with each permit whose process was found dead. */
  readonly onSwept: (id: string) => void;
}

/** Decides from the shared log: reads new records, expires permits, sweeps dead processes. */
export class LogEvaluator {
  readonly #options: LogEvaluatorOptions;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(options: LogEvaluatorOptions) {
    this.#options = options;
  }

  /** Decides what a new request may do, by all records, deferred and unread ones included. */
  decideFresh(asker?: Asker): PermitDecision {
    this.#options.log.refresh();
    return this.decideCached(asker);
  }

  /** Decides the same by the records that were read so far. */
  decideCached(asker?: Asker): PermitDecision {
    const { uptime } = this.#advance();
    return decide(this.#options.log.state, uptime, asker);
  }

  /** Decides whether the permit `id` is valid, by the records that were read so far. */
  recheckPermit(id: string, asker: Asker = { id }): PermitDecision {
    const { log, now } = this.#options;
    const decision = decide(log.state, now().uptime, asker);
    if (!decision.go || !decision.probe) return decision;
    const permit = log.state.permits.get(id);
    // A process that can't see this one (another PID namespace) may have swept its permit.
    if (permit === undefined) return decision;
    return permit.probe && permit.afterBackoff ? decision : { go: false, reason: "probing", ms: 0 };
  }

  /** Returns true if, by the records read so far, requests need not be counted. */
  isUnlimitedNow(): boolean {
    const { uptime } = this.#advance();
    const { state } = this.#options.log;
    const decision = decide(state, uptime);
    return decision.go && !decision.probe && isEffectivelyUnlimited(state, uptime);
  }

  /** Brings the state up to date, and returns its time. */
  sync(): Timestamp {
    this.#options.log.refresh();
    return this.#advance();
  }

  #advance(): Timestamp {
    const now = this.#options.now();
    if (now.uptime - this.#sweptAt >= sweepIntervalMs) this.#sweepDeadProcesses(now.uptime);
    expirePermits(this.#options.log.state, now.uptime);
    return now;
  }

  /** Ends the permits of dead processes: their requests count as sent (`help rate-limits`). */
  #sweepDeadProcesses(now: number): void {
    const { machine, log, isOwn, onSwept } = this.#options;
    this.#sweptAt = now;
    log.flush();
    for (const { id, pid } of log.state.permits.values()) {
      // Process ids are reused: in a container each command may have the same.
      const isAlive = pid === machine.pid ? isOwn(id) : machine.isAlive(pid);
      if (!isAlive) onSwept(id);
    }
  }
}
