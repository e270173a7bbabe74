import { errorMessage } from "../core/errors.ts";
import { type EventLog, inMemoryLog } from "./log/event-log.ts";
import type { LimiterEvent, LogRecord, Timestamp } from "./rules/records.ts";
import type { LimiterState } from "./rules/state.ts";

/** The uptime ticks in hundredths of a second; a record must never seem older than it is. */
const clockGranularityMs = 10;

export interface ProcessLogOptions {
  /** Opens the shared log; throws if it can't be used. */
  readonly openLog: (now: () => Timestamp) => EventLog;
  readonly now: () => Timestamp;
  /** Called once, with the reason why the log can't be shared. */
  readonly onDegraded: (what: string) => void;
  /** Runs a step at the end of this turn of the event loop. */
  readonly schedule: (step: () => void) => void;
}

/**
 * The shared log as this process uses it; after its first error, one for this process alone. An event may be
 * deferred, so that it shares a write with the next one: `npm run bench:bulk rate` measures what that saves.
 */
export class ProcessLog {
  readonly #options: ProcessLogOptions;
  #log: EventLog | undefined;
  #pending: LogRecord[] = [];
  #isScheduled = false;

  constructor(options: ProcessLogOptions) {
    this.#options = options;
  }

  /** Returns what `step` returns; if the log fails in it, runs `step` again with the state so far. */
  use<T>(step: (log: EventLog) => T): T {
    this.#log ??= this.#open();
    try {
      return step(this.#log);
    } catch (error) {
      this.#log = this.#fallBack(error, this.#log.state);
      return step(this.#log);
    }
  }

  /** Does the same after all deferred events are written. */
  useFlushed<T>(step: (log: EventLog) => T): T {
    return this.use((log) => {
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
      this.useFlushed(() => {});
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

  #open(): EventLog {
    const { openLog, now } = this.#options;
    try {
      return openLog(now);
    } catch (error) {
      return this.#fallBack(error);
    }
  }

  #fallBack(error: unknown, state?: LimiterState): EventLog {
    const { onDegraded, now } = this.#options;
    onDegraded(errorMessage(error));
    return inMemoryLog(now, state);
  }

  #record(event: LimiterEvent): LogRecord {
    const now = this.#options.now();
    return { stamp: { ...now, uptime: now.uptime + clockGranularityMs }, event };
  }
}
