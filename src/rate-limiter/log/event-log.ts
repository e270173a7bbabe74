import { errorMessage } from "../../core/errors.ts";
import { applyRecord } from "../reducer.ts";
import { emptyState, type LimiterState } from "../state.ts";
import type { LogRecord, Timestamp } from "./records.ts";

/** The records of one key in their order, and what they come to. */
export interface EventLog {
  /** What the records that were seen so far come to. */
  readonly state: LimiterState;
  /** Takes in what others have written. */
  refresh(): void;
  /** Adds records, as one, behind all that others have written, and takes in both. */
  append(...records: readonly LogRecord[]): void;
}

/** A log that only this process knows, and that goes on from `state`. */
export function inMemoryLog(now: () => Timestamp, state: LimiterState = emptyState()): EventLog {
  return {
    state,
    refresh: () => {},
    append: (...records) => {
      for (const record of records) applyRecord(state, record, now());
    },
  };
}

/** What a SharedLog needs. */
export interface SharedLogOptions {
  /** Opens what all who use the same key share; throws where it can't be used. */
  readonly openLog: (now: () => Timestamp) => EventLog;
  readonly now: () => Timestamp;
  /** Told, once, why the state can't be shared. */
  readonly onDegraded: (what: string) => void;
}

/** The log that is shared as long as that can be, and from then on the one of this process alone. */
export class FallbackLog {
  readonly #options: SharedLogOptions;
  #log: EventLog | undefined;

  constructor(options: SharedLogOptions) {
    this.#options = options;
  }

  /** What `step` answers; where the log fails in it, `step` is done again with what was known by then. */
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
