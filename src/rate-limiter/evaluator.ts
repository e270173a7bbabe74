import type { Machine } from "../platform/io.ts";
import { type Asker, decide, type PermitDecision } from "./rules/decision.ts";
import type { EventLog } from "./log/event-log.ts";
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
  readonly onSwept?: (id: string) => void;
}

/** Decides from the shared log: reads new records, expires permits, sweeps dead processes. */
export class LogEvaluator {
  readonly #options: LogEvaluatorOptions;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(options: LogEvaluatorOptions) {
    this.#options = options;
  }

  /** Decides what a new request may do, by all records, deferred and unread ones included. */
  decideFresh(log: EventLog, asker?: Asker): PermitDecision {
    this.#options.log.flush(log);
    log.refresh();
    return this.decideCached(log, asker);
  }

  /** Decides the same by the records that were read so far. */
  decideCached(log: EventLog, asker?: Asker): PermitDecision {
    const { uptime } = this.#advance(log);
    return decide(log.state, uptime, asker);
  }

  /** Decides whether the permit `id` is valid, by the records that were read so far. */
  recheckPermit(log: EventLog, id: string, asker: Asker = {}): PermitDecision {
    const decision = decide(log.state, this.#options.now().uptime, { ...asker, id });
    if (!decision.go || !decision.probe) return decision;
    const permit = log.state.permits.get(id);
    // A process that can't see this one (another PID namespace) may have swept its permit.
    if (permit === undefined) return decision;
    return permit.probe && permit.afterBackoff ? decision : { go: false, reason: "probing", ms: 0 };
  }

  /** Returns true if, by the records read so far, requests need not be counted. */
  isUnlimitedNow(log: EventLog): boolean {
    const { uptime } = this.#advance(log);
    const decision = decide(log.state, uptime);
    return decision.go && !decision.probe && isEffectivelyUnlimited(log.state, uptime);
  }

  /** Brings the state up to date, and returns its time. */
  sync(log: EventLog): Timestamp {
    log.refresh();
    return this.#advance(log);
  }

  #advance(log: EventLog): Timestamp {
    const now = this.#options.now();
    if (now.uptime - this.#sweptAt >= sweepIntervalMs) this.#sweepDeadProcesses(log, now.uptime);
    expirePermits(log.state, now.uptime);
    return now;
  }

  /** Ends the permits of dead processes: their requests count as sent (`help rate-limits`). */
  #sweepDeadProcesses(log: EventLog, now: number): void {
    const { machine, log: own, isOwn, onSwept } = this.#options;
    this.#sweptAt = now;
    own.flush(log);
    for (const { id, pid } of log.state.permits.values()) {
      // Process ids are reused: in a container each command may have the same.
      const isAlive = pid === machine.pid ? isOwn(id) : machine.isAlive(pid);
      if (isAlive) continue;
      own.write(log, { kind: "lost", id });
      onSwept?.(id);
    }
  }
}
