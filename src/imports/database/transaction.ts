import type { ImportDatabase } from "./open.ts";

/** How long a transaction waits for another program, in ms. */
const waitMs = 10_000;

/** Runs `step` in a transaction that is on the disk when this returns. Throws like `ImportDatabase.run`. */
export function transact<T>({ run, sql }: ImportDatabase, step: () => T): T {
  return run(() => {
    sql.exec(`PRAGMA busy_timeout = ${waitMs}; PRAGMA record.synchronous = FULL`);
    try {
      sql.exec("BEGIN IMMEDIATE");
      const result = step();
      sql.exec("COMMIT");
      return result;
    } catch (error) {
      rollBack(sql);
      throw error;
    } finally {
      sql.exec("PRAGMA busy_timeout = 0; PRAGMA record.synchronous = NORMAL");
    }
  });
}

/** Ends a transaction that failed, if SQLite has not done so already, as after a full disk. */
export function rollBack(sql: ImportDatabase["sql"]): void {
  if (sql.isTransaction) sql.exec("ROLLBACK");
}
