import type { GateLog } from "./log.ts";
import type { GateEvent, GateRecord } from "./records.ts";
import type { SharedLog } from "./shared-log.ts";
import type { Stamp } from "./stamp.ts";

/** The uptime ticks in hundredths of a second; what is written down must never seem older than it is. */
const tick = 10;

/** What a pen writes to, the time on the machine, and what does a step at the end of this turn. */
export interface PenOptions {
  readonly log: SharedLog;
  readonly now: () => Stamp;
  readonly soon: (step: () => void) => void;
}

/** Writes down in the log of a gate what happens in this process. */
export class Pen {
  readonly #options: PenOptions;
  /** What is not written down yet. */
  #pending: GateRecord[] = [];
  #isComing = false;

  constructor(options: PenOptions) {
    this.#options = options;
  }

  /** Does `step` on the log, with all that happened here in it. */
  use<T>(step: (log: GateLog) => T): T {
    return this.#options.log.use((log) => {
      this.catchUp(log);
      return step(log);
    });
  }

  /** Writes down an event, and what was put off before it, as one. */
  write(log: GateLog, event: GateEvent): void {
    log.append(...this.#pending, this.#record(event));
    this.#pending = [];
  }

  /** Puts an event off until the next one, or the end of this turn of the event loop. */
  putOff(event: GateEvent): void {
    this.#pending.push(this.#record(event));
    if (this.#isComing) return;
    this.#isComing = true;
    this.#options.soon(() => {
      this.#isComing = false;
      this.use(() => {});
    });
  }

  /** Whether there is something that was put off, and all of it is as `holds` says. */
  hasPutOff(holds: (event: GateEvent) => boolean): boolean {
    return this.#pending.length > 0 && this.#pending.every(({ event }) => holds(event));
  }

  /** Takes back what was put off last: it is never written down. */
  takeBack(): GateEvent | undefined {
    return this.#pending.pop()?.event;
  }

  /** Writes down what was put off. */
  catchUp(log: GateLog): void {
    if (this.#pending.length > 0) log.append(...this.#pending);
    this.#pending = [];
  }

  #record(event: GateEvent): GateRecord {
    const now = this.#options.now();
    return { stamp: { ...now, uptime: now.uptime + tick }, event };
  }
}
