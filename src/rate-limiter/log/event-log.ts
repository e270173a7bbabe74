import { errorMessage } from "../../core/errors.ts";
import { applyRecord } from "../rules/reducer.ts";
import { emptyState, type LimiterState } from "../rules/state.ts";
import type { LogRecord, Timestamp } from "../rules/records.ts";

/** The records of one key in order, and the resulting state. */
export interface EventLog {
  /** The state after the records that were read so far. */
  readonly state: LimiterState;
  /** Reads what others have written. */
  refresh(): void;
  /** Appends records in one write, and reads what others have written before them. */
  append(...records: readonly LogRecord[]): void;
}

/** Creates a log for this process alone, which continues from `state`. */
export function inMemoryLog(now: () => Timestamp, state: LimiterState = emptyState()): EventLog {
  return {
    state,
    refresh: () => {},
    append: (...records) => {
      for (const record of records) applyRecord(state, record, now());
    },
  };
}

export interface FallbackLogOptions {
  /** Opens the shared log; throws if it can't be used. */
  readonly openLog: (now: () => Timestamp) => EventLog;
  readonly now: () => Timestamp;
  /** Called once, with the reason why the log can't be shared. */
  readonly onDegraded: (what: string) => void;
}

/** The shared log, and after its first error one for this process alone. */
export class FallbackLog {
  readonly #options: FallbackLogOptions;
  #log: EventLog | undefined;

  constructor(options: FallbackLogOptions) {
    this.#options = options;
  }

  /** Returns what `step` returns; if the log fails in it, runs `step` again with the state so far. */
  withLog<T>(step: (log: EventLog) => T): T {
    this.#log ??= this.#open();
    try {
      return step(this.#log);
    } catch (error) {
      this.#log = this.#fallBack(error, this.#log.state);
      return step(this.#log);
    }
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
}
