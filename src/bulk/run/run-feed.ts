import type { Row, RowState } from "../types.ts";

/** A row that there is something to do for: to send it, or to tell of it again. */
export interface Task {
  readonly row: Row;
  readonly action: "send" | "tell";
}

/** Which rows there is something to do for. */
export interface FeedOptions {
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
export class TaskSource {
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
