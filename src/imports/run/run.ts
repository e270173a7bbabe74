import type { Row, RowOutcome, RowState } from "../types.ts";
import type { ImportRun } from "./import-run.ts";
import { type RowResult, sendRow, unknownEarlier } from "./send-row.ts";
import { Turns } from "./turns.ts";
import type { RunParts } from "./types.ts";

/**
 * Sends the rows that are left, `concurrency` at a time and in order, until all have ended or the run
 * is stopped; rows in flight then finish. The outcome of each row is recorded, and `run.abort` has
 * why the run stopped early. Never rejects. Memory does not grow with the rows.
 */
export async function runRows(parts: RunParts): Promise<void> {
  const { batches, run, concurrency } = parts;
  const source = new TaskSource(batches, run, parts);
  const turns = new Turns(parts.turns);
  await Promise.all(Array.from({ length: concurrency }, () => work(source, parts, turns)));
  await source.close();
}

/** Takes one row after the other; an error stops the run. */
async function work(source: TaskSource, parts: RunParts, turns: Turns): Promise<void> {
  const { abort } = parts.run;
  const reporter = new Reporter(parts);
  try {
    while (abort.reason === undefined) {
      const task = await source.next();
      // It may have been stopped while the input was read.
      if (task === undefined || abort.signal.aborted) break;
      const { row } = task;
      const unknown: RowOutcome = { outcome: "unknown", row, failure: unknownEarlier };
      reporter.add(
        task.action === "report"
          ? () => Promise.resolve(unknown)
          : await doTask(task, { parts, turns, reporter }),
      );
      if (task.action === "report") await reporter.ready();
    }
  } catch (error) {
    abort.stop(error);
  }
  await reporter.ready();
}

/** Reports the rows of one worker once their outcomes are recorded, which may be together with its next send. */
class Reporter {
  readonly #parts: RunParts;
  #last: Promise<void> = Promise.resolve();
  #output: Promise<void> | undefined;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  /** Whether the output takes no more for now. */
  get isBlocked(): boolean {
    return this.#output !== undefined;
  }

  /** Reports what `recorded` resolves to, after what was added before. A failure stops the run. */
  add(recorded: () => Promise<RowOutcome | undefined>): void {
    const { run, report } = this.#parts;
    const before = this.#last;
    this.#last = (async () => {
      await before;
      const end = await recorded();
      this.#output = (end && report(end)) ?? undefined;
      this.#output?.then(
        () => (this.#output = undefined),
        (error: unknown) => run.abort.stop(error),
      );
    })().catch((error: unknown) => run.abort.stop(error));
  }

  /** Waits until all that was added is given to the output. */
  given(): Promise<void> {
    return this.#last;
  }

  /** Waits until the output takes more. */
  async ready(): Promise<void> {
    await this.#last;
    await this.#output?.catch(() => {});
  }
}

/** What sending a task's row needs. */
interface TaskParts {
  readonly parts: RunParts;
  readonly turns: Turns;
  readonly reporter: Reporter;
}

/** Sends a row in its turn. Returns what waits for the record of its outcome. */
async function doTask(
  { row, state }: Task,
  { parts: { run, add }, turns, reporter }: TaskParts,
): Promise<RowResult["recorded"]> {
  for (;;) {
    if (reporter.isBlocked) await reporter.ready();
    const turn = turns.tryNext() ?? (await turns.next());
    // A row may wait a long time for its turn and the rate limiter, and a little for the disk.
    const isAllowed = (): boolean =>
      turn.isCurrent() && !run.abort.signal.aborted && !reporter.isBlocked;
    if (run.abort.signal.aborted) {
      turn.cancel();
      return async () => undefined;
    }
    const mayLeave = async (recorded: Promise<void>): Promise<boolean> => {
      await recorded;
      await reporter.given();
      if (!isAllowed()) return false;
      turn.sent();
      return true;
    };
    const sent = await sendRow({ row, state, isAllowed, mayLeave }, { run, add });
    if (sent === "not_sent") {
      turn.cancel();
      continue;
    }
    if (sent.stop !== undefined) run.abort.stop(sent.stop.error);
    turn.end(sent.isUnknown);
    return sent.recorded;
  }
}

/** A row to send, or to report once more, and its state before. */
export interface Task {
  readonly row: Row;
  readonly state: RowState;
  readonly action: "send" | "report";
}

/** Which rows are sent besides those that never were. */
export type SendRule = Pick<RunParts, "retryUnknown" | "addChanged">;

/** Returns what to do with a row in this state, if anything. */
export function actionFor(state: RowState, rule: SendRule): Task["action"] | undefined {
  if (state === "unsent" || (state === "changed" && rule.addChanged)) return "send";
  if (state === "sent" || state === "resent" || state === "unknown")
    return rule.retryUnknown ? "send" : "report";
  return undefined;
}

/** Hands out tasks one by one, in the order of their rows; reads the next batch when it has none left. */
class TaskSource {
  readonly #run: ImportRun;
  readonly #rule: SendRule;
  readonly #batches: AsyncIterator<readonly Row[]>;
  #tasks: readonly Task[] = [];
  #next = 0;
  #reading: Promise<void> | undefined;
  #ended = false;

  constructor(batches: AsyncIterable<readonly Row[]>, run: ImportRun, rule: SendRule) {
    this.#run = run;
    this.#rule = rule;
    this.#batches = batches[Symbol.asyncIterator]();
  }

  /** Returns the next task, or undefined after the last. Rejects like the input. */
  async next(): Promise<Task | undefined> {
    for (;;) {
      const task = this.#tasks[this.#next];
      this.#next += 1;
      if (task !== undefined || this.#ended) return task;
      this.#reading ??= this.#read();
      await this.#reading;
    }
  }

  /** Stops reading the input. */
  async close(): Promise<void> {
    this.#ended = true;
    this.#tasks = [];
    await this.#reading?.catch(() => {});
    await this.#batches.return?.();
  }

  async #read(): Promise<void> {
    const { value, done } = await this.#batches.next();
    this.#reading = undefined;
    if (this.#ended) return;
    this.#ended = done === true;
    this.#tasks = done === true ? [] : this.#tasksOf(value);
    this.#next = 0;
  }

  #tasksOf(rows: readonly Row[]): readonly Task[] {
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return [];
    const recorded = this.#run.recorded(first, last);
    return rows.flatMap((row) => {
      const state = recorded.get(row.index)?.state ?? "unsent";
      const action = actionFor(state, this.#rule);
      return action === undefined ? [] : { row, state, action };
    });
  }
}
