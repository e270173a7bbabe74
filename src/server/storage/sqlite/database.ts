import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { errorMessage } from "../../../core/errors.ts";
import { sqliteCode } from "../../../platform/sqlite-lock.ts";
import { StorageError } from "../storage.ts";
import type { DatabaseRow, Run } from "../tables.ts";

export type SqliteDatabase = ReturnType<typeof openSqlite>;

/** Opens a file, or `memory`; a write waits `timeout` ms for others that write. All that it does throws a StorageError. */
export function openSqlite(place: string, timeout: number) {
  const orStorageError = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw sqliteError(place, error);
    }
  };
  const file = place === "memory" ? ":memory:" : place;
  const database = orStorageError(() => new DatabaseSync(file, { timeout }));
  const prepared = new Map<string, StatementSync>();
  /** Returns a statement, which is prepared at its first use. */
  const prepare = (text: string): StatementSync => {
    const statement = prepared.get(text) ?? database.prepare(text);
    prepared.set(text, statement);
    return statement;
  };
  const all = (text: string, ...values: readonly SQLInputValue[]): readonly DatabaseRow[] =>
    orStorageError(() => prepare(text).all(...values));
  const get = (text: string): DatabaseRow | undefined => orStorageError(() => prepare(text).get());
  const run: Run = async (text, values = []) => {
    const named = Object.fromEntries(values.map((value, at) => [`$${at + 1}`, value]));
    return orStorageError(() => prepare(text).all(named));
  };
  const exec = (statements: string): void => orStorageError(() => database.exec(statements));
  /** Commits what `work` does, or if it or the commit throws, undoes it. */
  const transaction = <T>(work: () => T): T => {
    try {
      // IMMEDIATE: otherwise each row of a group would wait for another program that writes.
      exec("BEGIN IMMEDIATE");
      const result = work();
      exec("COMMIT");
      return result;
    } catch (error) {
      if (database.isTransaction) exec("ROLLBACK");
      throw error;
    }
  };
  const isInTransaction = (): boolean => database.isTransaction;
  return {
    place,
    all,
    get,
    run,
    exec,
    transaction,
    isInTransaction,
    close: () => database.close(),
  };
}

/** SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_READONLY, SQLITE_FULL (https://sqlite.org/rescode.html). */
const transientCodes: ReadonlySet<number> = new Set([5, 6, 7, 8, 13]);

/** Returns `error`, or if it is SQLite's, the StorageError that names the data file `file`, or memory. */
export function sqliteError(file: string, error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === undefined) return error;
  // After an I/O error all may be stored.
  const problem = transientCodes.has(code) ? "unavailable" : "refused";
  const message = `the data file ${file} cannot be used: ${errorMessage(error)}`;
  return new StorageError(message, problem, error);
}
