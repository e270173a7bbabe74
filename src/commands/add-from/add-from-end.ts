import type { RowCounts } from "../../bulk/journal/row-states.ts";
import type { RunTotals } from "../../bulk/types.ts";
import { Failure } from "../../core/errors.ts";
import { partialFailure, stoppedFailure } from "./display/summary.ts";

/** How the rows ended, by what the journal knows now and what it knew before the run. */
export function runTotals(now: RowCounts, before: RowCounts): RunTotals {
  const { unsent, open, added, rejected, unknown } = now;
  return {
    rows: unsent + open + added + rejected + unknown,
    added: added - before.added,
    rejected,
    // One that was begun and of which no end is recorded may have been added.
    unknown: unknown + open,
    notSent: unsent,
    earlier: before.added,
  };
}

/**
 * What a run ends with (contract.md, Bulk, Exit): what stopped it, else a `partial` Failure where any
 * row was not added, else nothing. A fault of this program comes out as it is.
 */
export function runFailure(
  tally: RunTotals,
  reason: { readonly error: unknown } | undefined,
): unknown {
  if (reason === undefined) return partialFailure(tally);
  return reason.error instanceof Failure ? stoppedFailure(reason.error, tally) : reason.error;
}

/** Whether the command that ended so, given again, goes on where it ended. */
export function isResumable(failure: unknown): boolean {
  return !(failure instanceof Failure) || failure.facts.retryable !== false;
}
