import { Failure, ioFailure, errorMessage, usageFailure } from "../../core/errors.ts";

const noneWithout = "nothing is sent without a journal: it prevents adding an animal twice";
const mayBeAdded = "nothing was sent; animals recorded in it may have been added before";
const moveAway = "to send the whole input again, move the file away";

/** Returns the failure for a journal that could not be made, read or written: exit 1. `what` is `made`, `written`, … */
export function journalIoFailure(file: string, what: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  return ioFailure(
    `the journal ${file} can't be ${what}: ${errorMessage(error)}`,
    error,
    noneWithout,
  );
}

/** Returns the failure for a journal that something else removed, moved, truncated or wrote to: exit 1. */
export function journalModified(file: string): Failure {
  const problem = "another process removed, moved or changed it during this run";
  return new Failure("io", `the journal ${file} can't be used: ${problem}`, {
    hints: ["restore it to finish the run; without it, the whole input is sent again"],
    retryable: false,
  });
}

/** Returns the failure for a journal whose lock another run holds: exit 2. */
export function journalLocked(file: string): Failure {
  return usageFailure(
    `another run of this input is in progress (journal ${file})`,
    "run the command again when it has finished",
  );
}

/** Returns the failure for a journal that is damaged, and not only cut off at its end: exit 2. */
export function journalCorrupt(file: string, line: number): Failure {
  return usageFailure(`the journal ${file} is damaged in line ${line}`, mayBeAdded, moveAway);
}

/** Returns the failure for a journal that a later version of the program wrote: exit 2. */
export function journalTooNew(file: string, version: string): Failure {
  return usageFailure(
    `the journal ${file} is of version ${version}, which this pets can't read`,
    "nothing was sent; continue with the version of pets that started it",
  );
}

/** Returns the failure for a journal whose first record contradicts its file name: exit 2. */
export function journalMismatch(file: string): Failure {
  const problem = "belongs to another input or service";
  return usageFailure(`the journal ${file} ${problem}`, mayBeAdded, moveAway);
}
