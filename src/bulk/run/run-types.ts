import type { PetsApi } from "../../client/types.ts";
import type { Row, RowOutcome, RowState } from "../types.ts";

/**
 * What a run needs of the journal. Every method but `state` puts a record into the file before it
 * answers, and throws an io Failure where it can't.
 */
export interface RunJournal {
  state(index: number): RowState;
  /** The row is about to be sent: called before its first byte leaves. */
  recordSend(index: number): void;
  /** The send that was told of last did nothing: the row is unsent again. */
  recordRefused(index: number): void;
  /** How a row ended, and the id that it got; before any line tells of it. */
  recordOutcome(index: number, outcome: RowOutcome["outcome"], id?: bigint): void;
}

/** What a run works with. */
export interface RunParts {
  /** All rows that were checked, in order; rejects with a Failure where the input has changed. */
  readonly batches: AsyncIterable<readonly Row[]>;
  readonly journal: RunJournal;
  /** Its requests end as a RunStop's signals tell. */
  readonly add: PetsApi["add"];
  /** How many rows may be on their way at once. */
  readonly concurrency: number;
  /** Whether rows of which an earlier run does not know what came are sent again. */
  readonly retryUnknown: boolean;
  /**
   * Tells how a row ended, once that is recorded. No more rows are sent while a promise that it
   * answered is open; one that rejects stops the run.
   */
  readonly tell: (end: RowOutcome) => Promise<void> | void;
}
