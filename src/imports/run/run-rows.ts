import type { PetsApi } from "../../client/types.ts";
import type { Row, RowOutcome, RowState, SendRule } from "../types.ts";
import type { ImportRun } from "./import-run.ts";
import { type RowResult, sendRow, unknownEarlier } from "./send-row.ts";
import { type TurnOptions, Turns } from "./turns.ts";

/** What sending the rows of a run needs. */
export interface RunParts {
  /** All rows that were checked, in order; rejects with a Failure if the input has changed. */
  readonly batches: AsyncIterable<readonly Row[]>;
  /** What is known of the run; records what becomes of its rows. */
  readonly run: ImportRun;
  readonly rule: RetryRule;
  /** Adds one animal; its requests end when the signals of the run's RunAbort are aborted. */
  readonly add: PetsApi["add"];
  /** How many rows may be in flight at once. */
  readonly concurrency: number;
  /** How its sends slow down while the service is in trouble. */
  readonly turns: TurnOptions;
  /**
   * Reports how a row ended, after that was recorded. The worker that calls it sends at most one more row
   * until the returned promise resolves; a rejection stops the run.
   */
  readonly report: (end: RowOutcome) => Promise<void> | void;
}

/**
 * Sends the rows that are left, `concurrency` at a time and in order, until all have ended or the run
 * is stopped; rows in flight then finish. The outcome of each row is recorded, and `run.abort` has
 * why the run stopped early. Never rejects. Memory does not grow with the rows.
 */
export async function runRows(parts: RunParts): Promise<void> {
  const tasks = tasksOf(parts);
  const turns = new Turns(parts.turns);
  await Promise.all(Array.from({ length: parts.concurrency }, () => work(tasks, turns, parts)));
}

/** Takes one row after the other; an error stops the run. */
async function work(tasks: AsyncIterable<Task>, turns: Turns, parts: RunParts): Promise<void> {
  const { abort } = parts.run;
  const reporter = new Reporter(parts);
  try {
    for await (const task of tasks) {
      await reporter.drained;
      // It may have been stopped while the input was read.
      if (abort.signal.aborted) break;
      const { row, action } = task;
      const unknown: RowOutcome = { outcome: "unknown", row, failure: unknownEarlier };
      if (action === "report") reporter.add({ recorded: Promise.resolve(unknown) });
      else reporter.add(await sendInTurn(task, turns, reporter, parts));
    }
  } catch (error) {
    abort.stop(error);
  }
  await reporter.reported;
  await reporter.drained?.catch(() => {});
}

/** Reports the rows of one worker, each once its outcome is recorded. A failure stops the run. */
class Reporter {
  /** Resolves when the last row is given to the output. */
  reported: Promise<void> = Promise.resolve();
  /** Resolves when the output takes more; undefined if it does now. */
  drained: Promise<void> | undefined;
  readonly #parts: RunParts;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  add({ recorded }: Pick<RowResult, "recorded">): void {
    const stop = (error: unknown): void => this.#parts.run.abort.stop(error);
    const report = ([end]: readonly [RowOutcome | undefined, void]): void => {
      this.drained = (end && this.#parts.report(end)) ?? undefined;
      this.drained?.then(() => (this.drained = undefined), stop);
    };
    this.reported = Promise.all([recorded, this.reported]).then(report).catch(stop);
  }
}

/** Sends a row in its turn, once that is recorded together with the end of the row before, which is reported. */
async function sendInTurn(
  task: Task,
  turns: Turns,
  reporter: Reporter,
  parts: RunParts,
): Promise<RowResult> {
  for (;;) {
    await reporter.drained;
    const turn = await turns.next();
    // It may wait a long time for the rate limiter, and a little for the disk.
    const isAllowed = (): boolean => turn.isCurrent() && reporter.drained === undefined;
    const mayLeave = async (record: () => Promise<void>): Promise<boolean> => {
      if (!isAllowed()) return false;
      await Promise.all([record(), reporter.reported]);
      if (!isAllowed()) return false;
      turn.sent();
      return true;
    };
    const result = await sendRow(task, mayLeave, parts);
    if (result === undefined) turn.cancel();
    else {
      turn.end(result.isUnknown);
      return result;
    }
  }
}

/** A row to send, or to report once more, and its state before. */
interface Task {
  readonly row: Row;
  readonly state: RowState;
  readonly action: "send" | "report";
}

/** Yields what is to be done, in the order of the rows. */
async function* tasksOf({ batches, run, rule }: RunParts): AsyncGenerator<Task> {
  for await (const rows of batches) {
    const recorded = run.recorded(rows);
    for (const row of rows) {
      const state = recorded.get(row.index)?.state ?? "unsent";
      const action = actionFor(state, rule);
      if (action !== undefined) yield { row, state, action };
    }
  }
}

/** Which rows are sent besides those that never were. */
type RetryRule = Pick<SendRule, "retryUnknown" | "addChanged">;

/** Returns what to do with a row in this state, if anything. */
function actionFor(state: RowState, rule: RetryRule): Task["action"] | undefined {
  if (state === "unsent" || (state === "changed" && rule.addChanged)) return "send";
  if (state !== "sent" && state !== "unknown") return undefined;
  return rule.retryUnknown ? "send" : "report";
}
