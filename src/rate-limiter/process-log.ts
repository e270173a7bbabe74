import { errorMessage } from "../core/errors.ts";
import { type EventLog, inMemoryLog } from "./log/event-log.ts";
import type { LimiterEvent, LogRecord, Timestamp } from "./rules/records.ts";
import type { LimiterState } from "./rules/state.ts";

export interface ProcessLogOptions {
  /** Opens the shared log; throws if it can't be used. */
  readonly openLog: (now: () => Timestamp) => EventLog;
  readonly now: () => Timestamp;
  /** How often the uptime ticks, in ms, 10 by default: a record must never seem older than it is. */
  readonly tickMs?: number;
  /** Called once, with the reason why the log can't be shared. */
  readonly onDegraded: (what: string) => void;
  /** Runs a step at the end of this turn of the event loop; `setImmediate` by default. */
  readonly schedule?: (step: () => void) => void;
}

/**
 * The shared log as this process uses it; after its first error, one for this process alone, with the state so far.
 * An event may be deferred, to share a write with the next one: `npm run bench:bulk rate` measures what that saves.
 */
export class ProcessLog {
  readonly #options: ProcessLogOptions;
  #opened: EventLog | undefined;
  #pending: LogRecord[] = [];
  #isScheduled = false;

  constructor(options: ProcessLogOptions) {
    this.#options = options;
  }

  /** The state after the records that were read so far. */
  get state(): LimiterState {
    return this.#log.state;
  }

  /** Writes the deferred events, and reads what others have written. */
  refresh(): void {
    this.flush();
    this.#run((log) => log.refresh());
  }

  /** Writes an event, and the deferred ones before it, in one append. */
  write(event: LimiterEvent): void {
    this.#pending.push(this.#record(event));
    this.flush();
  }

  /** Defers an event until the next write, at most until the end of this turn of the event loop. */
  defer(event: LimiterEvent): void {
    this.#pending.push(this.#record(event));
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const { schedule = setImmediate } = this.#options;
    schedule(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }

  /** Writes the deferred events. */
  flush(): void {
    const records = this.#pending;
    if (records.length === 0) return;
    this.#pending = [];
    this.#run((log) => log.append(...records));
  }

  /** Removes and returns the event that was deferred last, if all deferred ones meet `predicate`. */
  popPendingIf(predicate: (event: LimiterEvent) => boolean): LimiterEvent | undefined {
    return this.#pending.every(({ event }) => predicate(event))
      ? this.#pending.pop()?.event
      : undefined;
  }

  get #log(): EventLog {
    return (this.#opened ??= this.#open());
  }

  #open(): EventLog {
    const { openLog, now } = this.#options;
    try {
      return openLog(now);
    } catch (error) {
      return this.#fallBack(error);
    }
  }

  #run(step: (log: EventLog) => void): void {
    try {
      step(this.#log);
    } catch (error) {
      this.#opened = this.#fallBack(error, this.#log.state);
      step(this.#opened);
    }
  }

  #fallBack(error: unknown, state?: LimiterState): EventLog {
    const { onDegraded, now } = this.#options;
    onDegraded(errorMessage(error));
    return inMemoryLog(now, state);
  }

  #record(event: LimiterEvent): LogRecord {
    const { now, tickMs = 10 } = this.#options;
    const stamp = now();
    return { stamp: { ...stamp, uptime: stamp.uptime + tickMs }, event };
  }
}
