import type { Machine } from "../io.ts";
import { type Decision, decide } from "./decide.ts";
import type { GateLog } from "./log.ts";
import type { Pen } from "./pen.ts";
import { hasPlenty } from "./plenty.ts";
import { expire } from "./replay.ts";
import type { Stamp } from "./stamp.ts";

/** How often it is looked who is alive, in ms: those who wait come back many times a second. */
const betweenLooks = 100;

/** What a lookout needs. */
export interface LookoutOptions {
  readonly machine: Pick<Machine, "pid" | "isAlive">;
  readonly now: () => Stamp;
  readonly pen: Pen;
  /** Whether this process has the place `id`. */
  readonly isOwn: (id: string) => boolean;
}

/** What a process makes of the log of a gate at the moment that it is asked. */
export class Lookout {
  readonly #options: LookoutOptions;
  /** When it was last looked who is alive. */
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(options: LookoutOptions) {
    this.#options = options;
  }

  /** What a request without a place may do, by all that was written, and what is put off here. */
  decideByAll(log: GateLog): Decision {
    this.#options.pen.catchUp(log);
    log.refresh();
    return this.decideBy(log);
  }

  /** The same by what was taken in so far. */
  decideBy(log: GateLog): Decision {
    const { uptime } = this.#passTime(log);
    return decide(log.state, uptime);
  }

  /** What the request with the place `id` may do, by what was taken in so far. */
  decideAgain(log: GateLog, id: string): Decision {
    const decision = decide(log.state, this.#options.now().uptime, id);
    const place = log.state.places.get(id);
    // Another process may have taken this one for dead, where it can't see it.
    if (!decision.go || !decision.probe || place === undefined) return decision;
    return place.probe && place.afterBlock ? decision : { go: false, why: "probing", ms: 0 };
  }

  /** Whether a request may be sent, by what was taken in, without anyone having to count it. */
  seesPlenty(log: GateLog): boolean {
    const { uptime } = this.#passTime(log);
    const decision = decide(log.state, uptime);
    return decision.go && !decision.probe && hasPlenty(log.state, uptime);
  }

  /** Takes in what was written and what time brought, and answers when that is. */
  catchUp(log: GateLog): Stamp {
    log.refresh();
    return this.#passTime(log);
  }

  #passTime(log: GateLog): Stamp {
    const now = this.#options.now();
    if (now.uptime - this.#lookedAt >= betweenLooks) this.#endTheDead(log, now.uptime);
    expire(log.state, now.uptime);
    return now;
  }

  /** A process that is gone holds nobody up: its requests count as sent (rate-limits.md, The gate). */
  #endTheDead(log: GateLog, now: number): void {
    const { machine, pen, isOwn } = this.#options;
    this.#lookedAt = now;
    pen.catchUp(log);
    for (const { id, pid } of log.state.places.values()) {
      // Ids of processes are used again: in a container each command may have the same.
      const isAlive = pid === machine.pid ? isOwn(id) : machine.isAlive(pid);
      if (!isAlive) pen.write(log, { kind: "end", id });
    }
  }
}
