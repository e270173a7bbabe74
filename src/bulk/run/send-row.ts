import { Failure } from "../../core/errors.ts";
import { classifyFailure } from "./run-outcome.ts";
import type { RunParts } from "./run-types.ts";
import type { Row, RowOutcome } from "../types.ts";

/** What came of a row: how it ended, which is recorded by now, and why the run must stop. */
export interface RowResult {
  readonly end?: RowOutcome;
  readonly stop?: { readonly error: unknown };
}

/** What a row is told with that an earlier run sent, and does not know what came of. */
export const unknownEarlier = new Failure(
  "outcome_unknown",
  "an earlier run sent this row, and its outcome is unknown: the animal may or may not have been added",
  { retryable: false },
);

/** Sends a row, and records each step before the next (contract.md, Bulk, The journal). Never rejects. */
export async function sendRow(
  row: Row,
  { add, journal }: Pick<RunParts, "add" | "journal">,
): Promise<RowResult> {
  let inDoubt = false;
  const watcher = {
    onSend(): void {
      journal.recordSend(row.index);
      inDoubt = true;
    },
    onRefused(): void {
      journal.recordRefused(row.index);
      inDoubt = false;
    },
  };
  try {
    const pet = await add(row.pet, watcher);
    return recordEnd({ outcome: "added", row, pet }, journal);
  } catch (error) {
    return failed(row, error, inDoubt, journal);
  }
}

function failed(
  row: Row,
  error: unknown,
  inDoubt: boolean,
  journal: RunParts["journal"],
): RowResult {
  const { outcome, stops } = classifyFailure(error, inDoubt);
  const stop = stops ? { stop: { error } } : {};
  if (outcome === "rejected" || outcome === "unknown") {
    const failure = error instanceof Failure ? error : unknownEarlier;
    return { ...recordEnd({ outcome, row, failure }, journal), ...stop };
  }
  // A fault says nothing of the row: what was begun stays in doubt.
  if (outcome === "not_sent" && inDoubt) return { ...recordRefused(row, journal), ...stop };
  return stop;
}

/** Records the end of a row; where it can't be recorded, it is not told either. */
function recordEnd(end: RowOutcome, journal: RunParts["journal"]): RowResult {
  try {
    journal.recordOutcome(
      end.row.index,
      end.outcome,
      end.outcome === "added" ? end.pet.id : undefined,
    );
    return { end };
  } catch (error) {
    return { stop: { error } };
  }
}

function recordRefused(row: Row, journal: RunParts["journal"]): RowResult {
  try {
    journal.recordRefused(row.index);
    return {};
  } catch (error) {
    return { stop: { error } };
  }
}
