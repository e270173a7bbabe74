import type { Row, RowState } from "../types.ts";
import type { RunAbort } from "./abort.ts";
import { sendRow, unknownEarlier } from "./send-row.ts";
import { type Turn, Turns } from "./turns.ts";
import type { RunParts } from "./types.ts";

/**
 * Sends the rows that are left, `concurrency` at a time and in order, until all have ended or
 * `abort` stops the run; rows in flight then finish. The journal has the outcome of each row, and
 * `abort` why the run stopped early. Never rejects. Memory does not grow with the rows.
 */
export async function runRows(parts: RunParts, abort: RunAbort): Promise<void> {
  const { batches, journal, concurrency, retryUnknown } = parts;
  const source = new TaskSource({ batches, state: (index) => journal.state(index), retryUnknown });
  const turns = new Turns(parts.turns);
  await Promise.all(Array.from({ length: concurrency }, () => work(source, parts, abort, turns)));
  await source.close();
}

/** Takes one row after the other; an error stops the run. */
async function work(
  source: TaskSource,
  parts: RunParts,
  abort: RunAbort,
  turns: Turns,
): Promise<void> {
  try {
    while (abort.reason === undefined) {
      const task = await source.next();
      // It may have been stopped while the input was read.
      if (task === undefined || abort.signal.aborted) return;
      await doTask(task, parts, abort, turns);
    }
  } catch (error) {
    abort.stop(error);
  }
}

async function doTask(
  { row, action }: Task,
  parts: RunParts,
  abort: RunAbort,
  turns: Turns,
): Promise<void> {
  if (action === "report")
    return parts.report({ outcome: "unknown", row, failure: unknownEarlier });
  for (;;) {
    const turn = turns.tryNext() ?? (await turns.next());
    // It may have been stopped while it waited for its turn.
    if (abort.signal.aborted) return turn.cancel();
    const { end, stop } = await sendRow(row, { ...parts, add: duringTurn(turn, parts.add) });
    if (stop?.error === postponed) {
      turn.cancel();
      continue;
    }
    if (stop !== undefined) abort.stop(stop.error);
    turn.end(end?.outcome === "unknown");
    return end && parts.report(end);
  }
}

/** The error of a row that was not sent because its turn was over. */
const postponed = new Error("the turn was over before the row was sent");

/** Returns an `add` that sends only during its turn: a row may wait a long time for the rate limiter. */
function duringTurn(turn: Turn, add: RunParts["add"]): RunParts["add"] {
  return (pet, observer) =>
    add(pet, {
      onRefused: () => observer?.onRefused(),
      onReply: (storeId) => observer?.onReply?.(storeId),
      onSend() {
        if (!turn.isCurrent()) throw postponed;
        return observer?.onSend();
      },
    });
}

/** A row to send, or to report once more. */
export interface Task {
  readonly row: Row;
  readonly action: "send" | "report";
}

/** Where tasks come from. */
interface TaskSourceOptions {
  readonly batches: AsyncIterable<readonly Row[]>;
  readonly state: (index: number) => RowState;
  readonly retryUnknown: boolean;
}

/** Returns what to do with a row in this state, if anything. */
export function actionFor(state: RowState, retryUnknown: boolean): Task["action"] | undefined {
  if (state === "unsent") return "send";
  if (state === "sent" || state === "unknown") return retryUnknown ? "send" : "report";
  return undefined;
}

/** Hands out tasks one by one, in the order of their rows; reads the next batch when it has none left. */
class TaskSource {
  readonly #options: TaskSourceOptions;
  readonly #batches: AsyncIterator<readonly Row[]>;
  #batch: readonly Row[] = [];
  #next = 0;
  #reading: Promise<void> | undefined;
  #ended = false;

  constructor(options: TaskSourceOptions) {
    this.#options = options;
    this.#batches = options.batches[Symbol.asyncIterator]();
  }

  /** Returns the next task, or undefined after the last. Rejects like the input. */
  async next(): Promise<Task | undefined> {
    for (;;) {
      const task = this.#take();
      if (task !== undefined || this.#ended) return task;
      this.#reading ??= this.#read();
      await this.#reading;
    }
  }

  /** Stops reading the input. */
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
