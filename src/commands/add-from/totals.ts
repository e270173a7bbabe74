import type { RowCounts, RunTotals } from "../../imports/types.ts";
import { Failure } from "../../core/errors.ts";
import { partialFailure, stoppedFailure } from "./display/summary.ts";

/** Returns how the rows ended, from the recorded counts now and before the run. */
export function runTotals(now: RowCounts, before: RowCounts): RunTotals {
  const { rows, unsent, sent, added, rejected, unknown, known, changed, invalid } = now;
  return {
    rows,
    added: added - before.added,
    rejected,
    // A row with only a recorded send may have been added.
    unknown: unknown + sent,
    notSent: unsent,
    earlier: before.added,
    known,
    changed,
    invalid,
  };
}

/**
 * Returns the failure of a run (`help bulk`): what stopped it, else a `partial` Failure if
 * any row was not added, else undefined. An internal error is returned unchanged.
 */
export function runFailure(
  totals: RunTotals,
  reason: { readonly error: unknown } | undefined,
): unknown {
  if (reason === undefined) return partialFailure(totals);
  return reason.error instanceof Failure ? stoppedFailure(reason.error, totals) : reason.error;
}

/** Returns whether the same command, given again, resumes a run that ended with `failure`. */
export function isResumable(failure: unknown): boolean {
  return !(failure instanceof Failure) || failure.facts.retryable !== false;
}

/** Returns the Failure of a run, by default a `partial` one, with the rows that `--skip-invalid` left out. */
export function withInvalidRows(error: unknown, { message, facts }: Failure): unknown {
  const { details, file } = facts;
  const invalid = { ...(details && { details }), ...(file !== undefined && { file }) };
  if (error === undefined) return new Failure("partial", message, { ...invalid, retryable: false });
  if (!(error instanceof Failure) || error.facts.details || error.facts.earlierRows) return error;
  return new Failure(error.kind, error.message, { ...error.facts, code: error.code, ...invalid });
}
