import { Failure, ioFailure, errorMessage, usageFailure } from "../../core/errors.ts";

const noneWithout = "nothing is sent without a journal: it prevents adding an animal twice";
const mayBeAdded = "nothing was sent; animals recorded in it may have been added before";
const moveAway = "to send the whole input again, move the file away";

/** Returns the failure of a journal that could not be made, read or written: exit 1. `what` is `made`, `written`, … */
export function journalIoFailure(file: string, what: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  return ioFailure(
    `the journal ${file} can't be ${what}: ${errorMessage(error)}`,
    error,
    noneWithout,
  );
}

/** Something other than this run removed, moved, truncated or wrote the journal: exit 1. */
export function journalModified(file: string): Failure {
  const problem = "another process removed, moved or changed it during this run";
  return new Failure("io", `the journal ${file} can't be used: ${problem}`, {
    hints: ["restore it to finish the run; without it, the whole input is sent again"],
    retryable: false,
  });
}

/** Another run holds the lock of the journal: exit 2. */
export function journalLocked(file: string): Failure {
  return usageFailure(
    `another run of this input is in progress (journal ${file})`,
    "run the command again when it has finished",
  );
}

/** The journal is damaged, and not only cut off at its end: exit 2. */
export function journalCorrupt(file: string, line: number): Failure {
  return usageFailure(`the journal ${file} is damaged in line ${line}`, mayBeAdded, moveAway);
}

/** The journal was written by a later version of the program: exit 2. */
export function journalTooNew(file: string, version: string): Failure {
  return usageFailure(
    `the journal ${file} is of version ${version}, which this pets can't read`,
    "nothing was sent; continue with the version of pets that started it",
  );
}

/** The first record names another input or service than the file name: exit 2. */
export function journalMismatch(file: string): Failure {
  const problem = "belongs to another input or service";
  return usageFailure(`the journal ${file} ${problem}`, mayBeAdded, moveAway);
}
