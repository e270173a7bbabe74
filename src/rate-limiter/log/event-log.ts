import { errorMessage } from "../../core/errors.ts";
import type { LimiterEvent, LogRecord, Timestamp } from "../rules/records.ts";
import { applyRecord } from "../rules/reducer.ts";
import { emptyState, type LimiterState } from "../rules/state.ts";

/** The records of one key in order, and the resulting state. */
export interface EventLog {
  /** The state after the records that were read so far. */
  readonly state: LimiterState;
  /** Reads what others have written. */
  refresh(): void;
  /** Appends a record in one write, and reads what others have written before it. */
  append(record: LogRecord): void;
}

/** Creates a log for this process alone, which continues from `state`. */
export function inMemoryLog(now: () => Timestamp, state: LimiterState = emptyState()): EventLog {
  return {
    state,
    refresh: () => {},
    append: (record) => applyRecord(state, record, now()),
  };
}

export interface ProcessLogOptions {
  /** Opens the shared log; throws if it can't be used. */
  readonly openLog: (now: () => Timestamp) => EventLog;
  readonly now: () => Timestamp;
  /** How often the uptime ticks, 10 by default: a record must never seem older than it is. */
  readonly tickMs?: number;
  /** Called once, with the reason why the log can't be shared. */
  readonly onDegraded: (what: string) => void;
}

/** The shared log as this process uses it; after its first error, one for this process alone, with the state so far. */
export class ProcessLog {
  readonly #options: ProcessLogOptions;
  #log: EventLog | undefined;

  constructor(options: ProcessLogOptions) {
    this.#options = options;
  }

  get state(): LimiterState {
    return this.#run(() => {}).state;
  }

  refresh(): void {
    this.#run((log) => log.refresh());
  }

  write(event: LimiterEvent): void {
    const { now, tickMs = 10 } = this.#options;
    const stamp = now();
    const record = { stamp: { ...stamp, uptime: stamp.uptime + tickMs }, event };
    this.#run((log) => log.append(record));
  }

  /** Returns the log after `step`, which runs again if it fails. */
  #run(step: (log: EventLog) => void): EventLog {
    const { openLog, now, onDegraded } = this.#options;
    try {
      this.#log ??= openLog(now);
      step(this.#log);
    } catch (error) {
      onDegraded(errorMessage(error));
      this.#log = inMemoryLog(now, this.#log?.state);
      step(this.#log);
    }
    return this.#log;
  }
}
