import type { GateLog } from "./log.ts";
import type { GateEvent, GateRecord } from "./records.ts";
import type { SharedLog } from "./shared-log.ts";
import type { Stamp } from "./stamp.ts";

/** The uptime ticks in hundredths of a second; what is written down must never seem older than it is. */
const tick = 10;

/** Writes down in the log of a gate what happens in this process. */
export class Pen {
  readonly #log: SharedLog;
  readonly #now: () => Stamp;
  /** What is not written down yet. */
  #pending: GateRecord | undefined;

  constructor(log: SharedLog, now: () => Stamp) {
    this.#log = log;
    this.#now = now;
  }

  /** Whether something waits to be written with what comes next. */
  get isPending(): boolean {
    return this.#pending !== undefined;
  }

  /** Does `step` on the log, with all that happened here in it. */
  use<T>(step: (log: GateLog) => T): T {
    return this.#log.use((log) => {
      this.catchUp(log);
      return step(log);
    });
  }

  /** Writes down an event, and what was put off before it, as one. */
  write(log: GateLog, event: GateEvent): void {
    const record = this.#record(event);
    if (this.#pending === undefined) log.append(record);
    else log.append(this.#pending, record);
    this.#pending = undefined;
  }

  /** Puts an event off until the next one, or the end of this turn of the event loop. */
  putOff(event: GateEvent): void {
    this.#pending = this.#record(event);
    setImmediate(() => this.use(() => {}));
  }

  /** Writes down what was put off. */
  catchUp(log: GateLog): void {
    if (this.#pending !== undefined) log.append(this.#pending);
    this.#pending = undefined;
  }

  #record(event: GateEvent): GateRecord {
    const now = this.#now();
    return { stamp: { ...now, uptime: now.uptime + tick }, event };
  }
}
