import type { EventLog, FallbackLog } from "./log/event-log.ts";
import type { LimiterEvent, LogRecord, Timestamp } from "./rules/records.ts";

/** The uptime ticks in hundredths of a second; a record must never seem older than it is. */
const clockGranularityMs = 10;

export interface DeferredWriterOptions {
  readonly log: FallbackLog;
  readonly now: () => Timestamp;
  /** Runs a step at the end of this turn of the event loop. */
  readonly schedule: (step: () => void) => void;
}

/**
 * Writes this process's events to the log. An event may be deferred, so that it shares a write with the
 * next one: `npm run bench:bulk rate` measures what that saves.
 */
export class DeferredWriter {
  readonly #options: DeferredWriterOptions;
  #pending: LogRecord[] = [];
  #isScheduled = false;

  constructor(options: DeferredWriterOptions) {
    this.#options = options;
  }

  /** Runs `step` on the log after all deferred events are written. */
  withFlushedLog<T>(step: (log: EventLog) => T): T {
    return this.#options.log.withLog((log) => {
      this.flush(log);
      return step(log);
    });
  }

  /** Writes an event, and the deferred ones before it, in one append. */
  write(log: EventLog, event: LimiterEvent): void {
    log.append(...this.#pending, this.#record(event));
    this.#pending = [];
  }

  /** Defers an event until the next write, at most until the end of this turn of the event loop. */
  defer(event: LimiterEvent): void {
    this.#pending.push(this.#record(event));
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#options.schedule(() => {
      this.#isScheduled = false;
      this.withFlushedLog(() => {});
    });
  }

  /** Returns true if there are deferred events, and all of them meet `predicate`. */
  everyPending(predicate: (event: LimiterEvent) => boolean): boolean {
    return this.#pending.length > 0 && this.#pending.every(({ event }) => predicate(event));
  }

  /** Removes and returns the event that was deferred last. */
  popPending(): LimiterEvent | undefined {
    return this.#pending.pop()?.event;
  }

  /** Writes the deferred events. */
  flush(log: EventLog): void {
    if (this.#pending.length > 0) log.append(...this.#pending);
    this.#pending = [];
  }

  #record(event: LimiterEvent): LogRecord {
    const now = this.#options.now();
    return { stamp: { ...now, uptime: now.uptime + clockGranularityMs }, event };
  }
}
