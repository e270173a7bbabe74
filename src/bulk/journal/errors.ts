import { Failure, ioFailure, errorMessage, usageFailure } from "../../core/errors.ts";

const noneWithout = "no animal is sent without it: it keeps a second run from adding one twice";
const mayBeAdded = "nothing was sent; animals that it tells of may have been added before";
const moveAway = "when you know which were added, move it away to start anew";

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
  const problem = "something else removed, moved or changed it during this run";
  return new Failure("io", `the journal ${file} can't be relied on: ${problem}`, {
    hints: [
      "put it back as it was to finish the run: without it all of the input is added once more",
    ],
    retryable: false,
  });
}

/** Another run holds the lock of the journal: exit 2. */
export function journalLocked(file: string): Failure {
  return usageFailure(
    `another run of this input is under way: it holds the journal ${file}`,
    "give the command again when it has ended",
  );
}

/** The journal is damaged, and not only cut off at its end: exit 2. */
export function journalCorrupt(file: string, line: number): Failure {
  return usageFailure(`the journal ${file} is damaged in line ${line}`, mayBeAdded, moveAway);
}

/** The journal was written by a later version of the program: exit 2. */
export function journalTooNew(file: string, version: string): Failure {
  return usageFailure(
    `the journal ${file} is of version ${version}, which this version of pets can't read`,
    "nothing was sent; go on with the version of pets that began it",
  );
}

/** The first record names another input or service than the file name: exit 2. */
export function journalMismatch(file: string): Failure {
  const problem = "is of another input or another service than its name says";
  return usageFailure(`the journal ${file} ${problem}`, mayBeAdded, moveAway);
}
