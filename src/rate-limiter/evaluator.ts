import type { Machine } from "../platform/io.ts";
import { decide, type Decision, isEffectivelyUnlimited } from "./decision.ts";
import type { EventLog } from "./log/event-log.ts";
import type { DeferredWriter } from "./deferred-writer.ts";
import { expirePermits } from "./reducer.ts";
import type { Timestamp } from "./log/records.ts";

/** How often it is looked who is alive, in ms: those who wait come back many times a second. */
const sweepIntervalMs = 100;

/** What a lookout needs. */
export interface LookoutOptions {
  readonly machine: Pick<Machine, "pid" | "isAlive">;
  readonly now: () => Timestamp;
  readonly pen: DeferredWriter;
  /** Whether this process has the place `id`. */
  readonly isOwn: (id: string) => boolean;
}

/** What a process makes of the log of a gate at the moment that it is asked. */
export class LogEvaluator {
  readonly #options: LookoutOptions;
  /** When it was last looked who is alive. */
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(options: LookoutOptions) {
    this.#options = options;
  }

  /** What a request without a place may do, by all that was written, and what is put off here. */
  decideFresh(log: EventLog): Decision {
    this.#options.pen.flush(log);
    log.refresh();
    return this.decideCached(log);
  }

  /** The same by what was taken in so far. */
  decideCached(log: EventLog): Decision {
    const { uptime } = this.#advance(log);
    return decide(log.state, uptime);
  }

  /** What the request with the place `id` may do, by what was taken in so far. */
  recheckPermit(log: EventLog, id: string): Decision {
    const decision = decide(log.state, this.#options.now().uptime, id);
    const place = log.state.places.get(id);
    // Another process may have taken this one for dead, where it can't see it.
    if (!decision.go || !decision.probe || place === undefined) return decision;
    return place.probe && place.afterBackoff ? decision : { go: false, reason: "probing", ms: 0 };
  }

  /** Whether a request may be sent, by what was taken in, without anyone having to count it. */
  isUnlimitedNow(log: EventLog): boolean {
    const { uptime } = this.#advance(log);
    const decision = decide(log.state, uptime);
    return decision.go && !decision.probe && isEffectivelyUnlimited(log.state, uptime);
  }

  /** Takes in what was written and what time brought, and answers when that is. */
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

  /** A process that is gone holds nobody up: its requests count as sent (rate-limits.md, The gate). */
  #sweepDeadProcesses(log: EventLog, now: number): void {
    const { machine, pen, isOwn } = this.#options;
    this.#sweptAt = now;
    pen.flush(log);
    for (const { id, pid } of log.state.places.values()) {
      // Ids of processes are used again: in a container each command may have the same.
      const isAlive = pid === machine.pid ? isOwn(id) : machine.isAlive(pid);
      if (!isAlive) pen.write(log, { kind: "end", id });
    }
  }
}
