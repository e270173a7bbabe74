import { TaskSource, type Task } from "./run-feed.ts";
import { sendRow, unknownEarlier } from "./send-row.ts";
import type { RunAbort } from "./abort.ts";
import type { RunParts } from "./run-types.ts";

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
