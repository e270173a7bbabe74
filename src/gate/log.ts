import type { GateRecord } from "./records.ts";
import { applyRecord } from "./replay.ts";
import type { Stamp } from "./stamp.ts";
import { emptyState, type GateState } from "./state.ts";

/** The records of one key in their order, and what they come to. */
export interface GateLog {
  /** What the records that were seen so far come to. */
  readonly state: GateState;
  /** Takes in what others have written. */
  refresh(): void;
  /** Adds records, as one, behind all that others have written, and takes in both. */
  append(...records: readonly GateRecord[]): void;
}

/** A log that only this process knows, and that goes on from `state`. */
export function memoryLog(now: () => Stamp, state: GateState = emptyState()): GateLog {
  return {
    state,
    refresh: () => {},
    append: (...records) => {
      for (const record of records) applyRecord(state, record, now());
    },
  };
}
