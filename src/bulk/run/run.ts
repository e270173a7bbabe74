import type { PetsApi } from "../../client/types.ts";
import type { Row, RowOutcome, RowState } from "../types.ts";
import type { RunAbort } from "./abort.ts";
import { sendRow, unknownEarlier } from "./send-row.ts";

/**
 * Sends the rows that are left, `concurrency` at a time and in their order, until all have ended or
 * `stop` says otherwise; then what is on its way ends. How the rows ended the journal knows, and why
 * the run stopped before its end `stop`. Never rejects. Memory does not grow with the rows.
 */
export async function runRows(parts: RunParts, stop: RunAbort): Promise<void> {
  const { batches, journal, concurrency, retryUnknown } = parts;
  const feed = new TaskSource({ batches, state: (index) => journal.state(index), retryUnknown });
  await Promise.all(Array.from({ length: concurrency }, () => work(feed, parts, stop)));
  await feed.close();
}

/** Takes one row after the other; what it meets stops the run. */
async function work(feed: TaskSource, parts: RunParts, stop: RunAbort): Promise<void> {
  try {
    while (stop.reason === undefined) {
      const task = await feed.next();
      // It may have been stopped while the input was read.
      if (task === undefined || stop.signal.aborted) return;
      await doTask(task, parts, stop);
    }
  } catch (error) {
    stop.stop(error);
  }
}

async function doTask({ row, action }: Task, parts: RunParts, stop: RunAbort): Promise<void> {
  if (action === "tell") return parts.tell({ outcome: "unknown", row, failure: unknownEarlier });
  const { end, stop: cause } = await sendRow(row, parts);
  if (cause !== undefined) stop.stop(cause.error);
  if (end === undefined) return;
  stop.observe(end.outcome);
  return parts.tell(end);
}

/** A row that there is something to do for: to send it, or to tell of it again. */
export interface Task {
  readonly row: Row;
  readonly action: "send" | "tell";
}

/** Which rows there is something to do for. */
interface FeedOptions {
  readonly batches: AsyncIterable<readonly Row[]>;
  readonly state: (index: number) => RowState;
  readonly retryUnknown: boolean;
}

/** What is to be done for a row that a journal knows this of (contract.md, Bulk, The journal). */
export function actionFor(state: RowState, retryUnknown: boolean): Task["action"] | undefined {
  if (state === "unsent") return "send";
  if (state === "open" || state === "unknown") return retryUnknown ? "send" : "tell";
  return undefined;
}

/** Hands out rows one by one, in their order, to whoever asks; reads on when it has none left. */
class TaskSource {
  readonly #options: FeedOptions;
  readonly #batches: AsyncIterator<readonly Row[]>;
  #batch: readonly Row[] = [];
  #next = 0;
  #reading: Promise<void> | undefined;
  #ended = false;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#batches = options.batches[Symbol.asyncIterator]();
  }

  /** The next row, or undefined behind the last. Rejects as the input does. */
  async next(): Promise<Task | undefined> {
    for (;;) {
      const task = this.#take();
      if (task !== undefined || this.#ended) return task;
      this.#reading ??= this.#read();
      await this.#reading;
    }
  }

  /** Ends the reading before its end. */
  async close(): Promise<void> {
    this.#ended = true;
    this.#batch = [];
    await this.#reading?.catch(() => {});
    await this.#batches.return?.();
  }

  #take(): Task | undefined {
    const { state, retryUnknown } = this.#options;
    while (this.#next < this.#batch.length) {
      const row = this.#batch[this.#next++];
      if (row === undefined) continue;
      const action = actionFor(state(row.index), retryUnknown);
      if (action !== undefined) return { row, action };
    }
    return undefined;
  }

  async #read(): Promise<void> {
    const { value, done } = await this.#batches.next();
    this.#reading = undefined;
    if (this.#ended) return;
    this.#ended = done === true;
    this.#batch = done === true ? [] : value;
    this.#next = 0;
  }
}

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
