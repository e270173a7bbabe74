import type { PetsApi } from "../../client/types.ts";
import type { TurnOptions } from "./turns.ts";
import type { Row, RowOutcome, RowState } from "../types.ts";

/**
 * The journal as a run uses it. Every method except `state` writes a record to the file before it
 * returns, and throws an io Failure if it can't.
 */
export interface RunJournal {
  state(index: number): RowState;
  /** The row is about to be sent: called before its first byte leaves. */
  recordSend(index: number): void;
  /** The service refused the last send and did nothing: the row is unsent again. */
  recordRefused(index: number): void;
  /** How a row ended, and the id that it got; called before that is reported. */
  recordOutcome(index: number, outcome: RowOutcome["outcome"], id?: bigint): void;
}

/** Follows which store answers a run. */
export interface RunStores {
  /** Returns whether this is the id of the run's own store; if not, stops the run. */
  accepts(storeId: string): boolean;
  /** Records for another store how a row ended there. */
  recordElsewhere(
    storeId: string,
    index: number,
    outcome: RowOutcome["outcome"],
    id?: bigint,
  ): void;
}

/** What a run works with. */
export interface RunParts {
  /** All rows that were checked, in order; rejects with a Failure if the input has changed. */
  readonly batches: AsyncIterable<readonly Row[]>;
  readonly journal: RunJournal;
  readonly stores: RunStores;
  /** Adds one animal; its requests end when the signals of the run's RunAbort are aborted. */
  readonly add: PetsApi["add"];
  /** How many rows may be in flight at once. */
  readonly concurrency: number;
  /** How its sends slow down while the service is in trouble. */
  readonly turns: TurnOptions;
  /** Whether rows that earlier runs left with an unknown outcome are sent again. */
  readonly retryUnknown: boolean;
  /**
   * Reports how a row ended, after that was recorded. The worker that calls it sends no other row
   * until the returned promise resolves; a rejection stops the run.
   */
  readonly report: (end: RowOutcome) => Promise<void> | void;
}
