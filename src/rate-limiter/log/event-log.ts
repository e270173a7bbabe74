import type { LogRecord } from "./records.ts";
import { applyRecord } from "../reducer.ts";
import type { Timestamp } from "./stamp.ts";
import { emptyState, type LimiterState } from "../state.ts";

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
