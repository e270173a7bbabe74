import type { PetsApi } from "../../client/types.ts";
import type { Row, RowOutcome } from "../types.ts";
import type { ImportRun } from "./import-run.ts";
import type { TurnOptions } from "./turns.ts";

/** What sending the rows of a run needs. */
export interface RunParts {
  /** All rows that were checked, in order; rejects with a Failure if the input has changed. */
  readonly batches: AsyncIterable<readonly Row[]>;
  /** What is known of the run; records what becomes of its rows. */
  readonly run: ImportRun;
  /** Adds one animal; its requests end when the signals of the run's RunAbort are aborted. */
  readonly add: PetsApi["add"];
  /** How many rows may be in flight at once. */
  readonly concurrency: number;
  /** How its sends slow down while the service is in trouble. */
  readonly turns: TurnOptions;
  /** Whether rows that earlier runs left with an unknown outcome are sent again. */
  readonly retryUnknown: boolean;
  /** Whether rows that were left out because only their status is new are sent. */
  readonly addChanged: boolean;
  /**
   * Reports how a row ended, after that was recorded. The worker that calls it sends no other row
   * until the returned promise resolves; a rejection stops the run.
   */
  readonly report: (end: RowOutcome) => Promise<void> | void;
}
