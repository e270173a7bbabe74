import type { LogRecord, Timestamp } from "../rules/records.ts";
import { applyRecord } from "../rules/reducer.ts";
import { emptyState, type LimiterState } from "../rules/state.ts";

/** The records of one key in order, and the resulting state. */
export interface EventLog {
  /** Where it is kept; undefined in this process alone. */
  readonly folder?: string;
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
