import { DatabaseSync } from "node:sqlite";
import { pruneExpired, type Usage } from "../../rate-limits/limits.ts";
import type { UsageMap } from "../../rate-limits/usage-ledger.ts";
import { parseUsage } from "../storage.ts";

/** The delay between a change and the write of all changes, in ms: kill -9 may lose a second. */
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
  const upsert = database.prepare("INSERT OR REPLACE INTO usages (key_id, usage) VALUES (?, ?)");
  const remove = database.prepare("DELETE FROM usages WHERE key_id = ?");
  const usages = new Map<string, Usage>();
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isOpen = true;
  const write = (): void => {
    database.exec("BEGIN IMMEDIATE");
    for (const keyId of changed) {
      const usage = usages.get(keyId);
      if (usage === undefined) remove.run(keyId);
      else upsert.run(keyId, JSON.stringify(usage));
    }
    database.exec("COMMIT");
    changed.clear();
  };
  /** Writes the changes; if the file is busy or the disk is full, they stay to be written. */
  const flush = (): void => {
    try {
      write();
    } catch {
      if (database.isTransaction) database.exec("ROLLBACK");
    }
  };
  const later = (): void => {
    if (!isOpen) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      flush();
      if (changed.size > 0) later();
    }, writeDelayMs).unref();
  };
  const change = (keyId: string): void => {
    changed.add(keyId);
    later();
  };
  for (const row of database.prepare("SELECT key_id, usage FROM usages").all()) {
    const keyId = String(row.key_id);
    const usage = pruneExpired(parseUsage(row.usage), now);
    if (isUnused(usage)) change(keyId);
    else usages.set(keyId, usage);
  }
  return {
    get: (keyId) => usages.get(keyId),
    set(keyId, usage) {
      usages.set(keyId, usage);
      change(keyId);
      return usages;
    },
    clear: () => {
      for (const keyId of usages.keys()) change(keyId);
      usages.clear();
    },
    close: () => {
      isOpen = false;
      clearTimeout(timer);
      database.exec(`PRAGMA busy_timeout = ${timeout}`);
      flush();
      database.close();
    },
  };
}

function isUnused({ counts, refusal, bannedUntil }: Usage): boolean {
  const isCounted = counts.some(({ requests }) => requests > 0);
  return !isCounted && refusal === undefined && bannedUntil === undefined;
}
