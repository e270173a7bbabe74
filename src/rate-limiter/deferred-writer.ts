import type { EventLog, FallbackLog } from "./log/event-log.ts";
import type { LimiterEvent, LogRecord, Timestamp } from "./log/records.ts";

/** The uptime ticks in hundredths of a second; what is written down must never seem older than it is. */
const clockGranularityMs = 10;

/** What a pen writes to, the time on the machine, and what does a step at the end of this turn. */
export interface PenOptions {
  readonly log: FallbackLog;
  readonly now: () => Timestamp;
  readonly schedule: (step: () => void) => void;
}

/** Writes down in the log of a gate what happens in this process. */
export class DeferredWriter {
  readonly #options: PenOptions;
  /** What is not written down yet. */
  #pending: LogRecord[] = [];
  #isScheduled = false;

  constructor(options: PenOptions) {
    this.#options = options;
  }

  /** Does `step` on the log, with all that happened here in it. */
  withFlushedLog<T>(step: (log: EventLog) => T): T {
    return this.#options.log.withLog((log) => {
      this.flush(log);
      return step(log);
    });
  }

  /** Writes down an event, and what was put off before it, as one. */
  write(log: EventLog, event: LimiterEvent): void {
    log.append(...this.#pending, this.#record(event));
    this.#pending = [];
  }

  /** Puts an event off until the next one, or the end of this turn of the event loop. */
  defer(event: LimiterEvent): void {
    this.#pending.push(this.#record(event));
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#options.schedule(() => {
      this.#isScheduled = false;
      this.withFlushedLog(() => {});
    });
  }

  /** Whether there is something that was put off, and all of it is as `holds` says. */
  everyPending(holds: (event: LimiterEvent) => boolean): boolean {
    return this.#pending.length > 0 && this.#pending.every(({ event }) => holds(event));
  }

  /** Takes back what was put off last: it is never written down. */
  popPending(): LimiterEvent | undefined {
    return this.#pending.pop()?.event;
  }

  /** Writes down what was put off. */
  flush(log: EventLog): void {
    if (this.#pending.length > 0) log.append(...this.#pending);
    this.#pending = [];
  }

  #record(event: LimiterEvent): LogRecord {
    const now = this.#options.now();
    return { stamp: { ...now, uptime: now.uptime + clockGranularityMs }, event };
  }
}
