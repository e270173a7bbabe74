import type { PetsApi } from "../../client/types.ts";
import { Failure } from "../../core/errors.ts";
import type { Row, RowOutcome, RowState, SendRule } from "../types.ts";
import type { ImportRun } from "./import-run.ts";
import { type KnownRow, notNow, type SendResult, sendRow } from "./send-row.ts";
import { type Turn, type TurnOptions, Turns } from "./turns.ts";

/** What sending the rows of a run needs. */
export interface RunParts {
  /** All rows that were checked, in order; rejects with a Failure if the input has changed. */
  readonly batches: AsyncIterable<readonly Row[]>;
  /** What is known of the run; records what becomes of its rows. */
  readonly run: ImportRun;
  /** Which rows are sent besides those that never were. */
  readonly rule: Pick<SendRule, "retryUnknown" | "addChanged">;
  /** Adds one animal; its requests end when the signals of the run's RunAbort are aborted. */
  readonly add: PetsApi["add"];
  /** How many rows may be in flight at once. */
  readonly concurrency: number;
  /** How its sends slow down while the service is in trouble. */
  readonly turns: TurnOptions;
  /**
   * Reports how a row ended, after that was recorded. Each worker sends at most one more row until the returned
   * promise resolves; a rejection stops the run.
   */
  readonly report: (end: RowOutcome) => Promise<void> | void;
}

/**
 * Sends the rows that are left, `concurrency` at a time and in order, until all have ended or the run
 * is stopped; rows in flight then finish. The outcome of each row is recorded, and `run.abort` has
 * why the run stopped early. Never rejects. Memory does not grow with the rows.
 */
export async function runRows(parts: RunParts): Promise<void> {
  const workers = new Workers(parts);
  const changed = parts.rule.addChanged ? (["changed"] as const) : [];
  const rows = rowsIn(["unsent", "unknown", ...changed], parts);
  await Promise.all(Array.from({ length: parts.concurrency }, () => workers.work(rows)));
}

/** Yields the rows of an input that are in one of these states, in their order. */
export async function* rowsIn(
  states: readonly RowState[],
  { batches, run }: Pick<RunParts, "batches" | "run">,
): AsyncGenerator<KnownRow> {
  for await (const rows of batches) {
    const recorded = run.recorded(rows);
    for (const row of rows) {
      const state = recorded.get(row.index)?.state ?? "unsent";
      if (states.includes(state)) yield { row, state };
    }
  }
}

/** Sends rows and reports them, each once its outcome is recorded. */
class Workers {
  readonly #parts: RunParts;
  readonly #turns: Turns;
  /** Resolves when all rows that ended are given to the output. */
  #reported: Promise<void> = Promise.resolve();
  /** Resolves when the output takes more; undefined if it does now. */
  #drained: Promise<void> | undefined;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#turns = new Turns(parts.turns);
  }

  /** Takes one row after the other; an error stops the run. */
  async work(rows: AsyncIterable<KnownRow>): Promise<void> {
    const { run, rule } = this.#parts;
    try {
      for await (const known of rows) {
        await this.#drained;
        // It may have been stopped while the input was read.
        if (run.abort.signal.aborted) break;
        const isSent = known.state !== "unknown" || rule.retryUnknown;
        this.#report(isSent ? await this.#send(known) : { recorded: unknownEarlier(known) });
      }
    } catch (error) {
      run.abort.stop(error);
    }
    await this.#reported;
    await this.#drained?.catch(() => {});
  }

  /** Sends a row in its turn. */
  async #send(known: KnownRow): Promise<SendResult> {
    for (;;) {
      await this.#drained;
      const turn = await this.#turns.next();
      const result = await sendRow(known, (record) => this.#leave(turn, record), this.#parts);
      if (result === undefined) this.#turns.cancel(turn);
      else {
        this.#turns.end(turn, result.isUnknown);
        return result;
      }
    }
  }

  /** Records that a row leaves together with the ends of rows before, which are reported; rejects if it may not. */
  async #leave(turn: Turn, record: () => Promise<void>): Promise<void> {
    // It may wait a long time for the rate limiter, and a little for the disk.
    const assertAllowed = (): void => {
      if (!this.#turns.isCurrent(turn) || this.#drained !== undefined) throw notNow;
    };
    assertAllowed();
    await Promise.all([record(), this.#reported]);
    assertAllowed();
    this.#turns.leave(turn);
  }

  #report({ recorded }: Pick<SendResult, "recorded">): void {
    const stop = (error: unknown): void => this.#parts.run.abort.stop(error);
    const report = ([end]: readonly [RowOutcome | undefined, void]): void => {
      this.#drained = (end && this.#parts.report(end)) ?? undefined;
      this.#drained?.then(() => (this.#drained = undefined), stop);
    };
    this.#reported = Promise.all([recorded, this.#reported]).then(report).catch(stop);
  }
}

/** Returns how a row ended that an earlier run sent without learning its outcome. */
async function unknownEarlier({ row }: KnownRow): Promise<RowOutcome> {
  const what = "sent by an earlier run; the animal may or may not have been added";
  const failure = new Failure("outcome_unknown", what, { retryable: false });
  return { outcome: "unknown", row, failure };
}
