import { errorMessage, Failure, ioFailure, usageFailure } from "../../core/errors.ts";
import { sqliteCode } from "../../platform/sqlite-lock.ts";

// Primary result codes (https://sqlite.org/rescode.html).
const [error, corrupt, notADatabase] = [1, 11, 26];
const reasons: ReadonlyMap<number, string> = new Map([
  [5, "another program keeps it locked"],
  [8, "it is read-only"],
  [10, "input/output error"],
  [13, "no space left on the disk"],
  [14, "it cannot be opened"],
]);

/**
 * Returns the failure for an error of SQLite or the system while the database `file` was used: exit 2 for
 * a damaged one, else exit 1. Any other error is returned unchanged.
 */
export function databaseFailure(file: string, thrown: unknown): unknown {
  if (thrown instanceof Failure) return thrown;
  const code = sqliteCode(thrown);
  if (code === corrupt || code === notADatabase) return damaged(file, errorMessage(thrown));
  const isOfSystem = thrown instanceof Error && "syscall" in thrown;
  if (!isOfSystem && (code === undefined || code === error)) return thrown;
  const reason = reasons.get(code ?? -1) ?? errorMessage(thrown);
  return ioFailure(
    `the record of imports ${file} cannot be used: ${reason}`,
    thrown,
    "Nothing is sent without it: it prevents adding an animal twice.",
  );
}

/** Returns the failure for a database that is damaged: exit 2. */
export function damaged(file: string, what: string): Failure {
  return usageFailure(
    `the record of imports ${file} is damaged: ${what}`,
    "Nothing was sent; animals recorded in it may have been added before.",
    "To import without it, move the file away.",
  );
}

/** Returns the failure for a database that a later version of the program made: exit 2. */
export function tooNew(file: string, version: number): Failure {
  return usageFailure(
    `the record of imports ${file} is of version ${version}, which this pets cannot read`,
    "Nothing was sent; use the version of pets that made it.",
  );
}
