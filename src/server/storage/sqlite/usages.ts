import { DatabaseSync } from "node:sqlite";
import { emptyUsage, pruneExpired } from "../../rate-limits/limits.ts";
import type { UsageMap } from "../../rate-limits/usage-ledger.ts";
import { parseUsage } from "../tables.ts";

/** The delay between a change and the write of all changes: kill -9 may lose a second. */
const writeDelayMs = 900;

/**
 * Loads the usage of keys from the data file `file` at `now` (ms since the epoch, by the store's clock), without what is
 * over, or ends over a day ahead. Changes are written behind, on a connection of their own, which waits for no other
 * program and not for the disk: a power failure may lose them. `close` writes the last ones, and waits `timeout` ms.
 */
export function sqliteUsages(
  file: string,
  now: number,
  timeout: number,
): UsageMap & { close(): void } {
  const database = new DatabaseSync(file, { timeout: 0 });
  database.exec("PRAGMA synchronous = NORMAL");
  const rows = database.prepare("SELECT id, usage FROM keys").all();
  const usages = new Map(
    rows.map(({ id, usage }) => [String(id), pruneExpired(parseUsage(usage), now)]),
  );
  const update = database.prepare("UPDATE keys SET usage = ? WHERE id = ?");
  const changed = new Set<string>();
  const write = (): void => {
    try {
      database.exec("BEGIN IMMEDIATE");
      for (const keyId of changed)
        update.run(JSON.stringify(usages.get(keyId) ?? emptyUsage), keyId);
      database.exec("COMMIT");
      changed.clear();
    } catch {
      // If the file is busy or the disk is full, the changes stay to be written.
      if (database.isTransaction) database.exec("ROLLBACK");
    }
  };
  const timer = setInterval(() => changed.size > 0 && write(), writeDelayMs).unref();
  return {
    get: (keyId) => usages.get(keyId),
    set: (keyId, usage) => {
      changed.add(keyId);
      return usages.set(keyId, usage);
    },
    clear: () => {
      for (const keyId of usages.keys()) changed.add(keyId);
      usages.clear();
    },
    close: () => {
      clearInterval(timer);
      database.exec(`PRAGMA busy_timeout = ${timeout}`);
      write();
      database.close();
    },
  };
}
