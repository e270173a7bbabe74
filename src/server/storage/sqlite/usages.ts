import type { DatabaseSync } from "node:sqlite";
import type { UsageMap } from "../../rate-limits/usage-ledger.ts";
import { pruneExpired, type Usage } from "../../rate-limits/limits.ts";
import { deleteUsage, readUsages, upsertUsage, usageRow } from "./usage-rows.ts";

/** How long after a change all changes are written, in ms: kill -9 may cost a second (store.md, Limits). */
const writeDelay = 900;

/** What is remembered of keys in `database`, in memory for reading and written behind. */
export interface PersistedUsage extends UsageMap {
  /** Writes what has changed, and writes no more. */
  close(): void;
}

/**
 * Loads what is remembered at `now` (ms since the epoch) by the store's clock. What is over, or ends
 * over a day ahead, is dropped. `busyTimeout` is how long other writes to `database` wait for another
 * program, in ms; the last one here does too.
 */
export function sqliteUsages(
  database: DatabaseSync,
  now: number,
  busyTimeout: number,
): PersistedUsage {
  const usages = new Map<string, Usage>();
  const changed = new Set<string>();
  for (const [keyId, usage] of readUsages(database)) {
    const current = pruneExpired(usage, now);
    if (isUnused(current)) changed.add(keyId);
    else usages.set(keyId, current);
  }
  const write = usageWriter(database, busyTimeout);
  let timer: NodeJS.Timeout | undefined;
  let isOpen = true;
  const flush = (): void => {
    timer = undefined;
    const changes = [...changed].map((keyId) => [keyId, usages.get(keyId)] as const);
    // The next second tries it again; for the last time it is worth a wait.
    if (write(changes, isOpen ? 0 : busyTimeout)) changed.clear();
    else later();
  };
  const later = (): void => {
    if (isOpen) timer ??= setTimeout(flush, writeDelay).unref();
  };
  if (changed.size > 0) later();
  return {
    get: (keyId) => usages.get(keyId),
    set(keyId, usage) {
      usages.set(keyId, usage);
      changed.add(keyId);
      later();
      return usages;
    },
    clear: () => {
      for (const keyId of usages.keys()) changed.add(keyId);
      usages.clear();
      later();
    },
    close: () => {
      isOpen = false;
      clearTimeout(timer);
      flush();
    },
  };
}

function isUnused({ minute, day, refusal, bannedUntil }: Usage): boolean {
  const requests = minute.requests + day.requests;
  return requests === 0 && refusal === undefined && bannedUntil === undefined;
}

/**
 * Writes usages in one transaction; false where that is not possible within `timeout` ms. It waits for
 * no disk: what the system has taken survives kill -9, and the loss of power may cost the limits.
 */
function usageWriter(database: DatabaseSync, busyTimeout: number) {
  const upsert = database.prepare(upsertUsage);
  const remove = database.prepare(deleteUsage);
  return (changes: readonly (readonly [string, Usage | undefined])[], timeout: number): boolean => {
    if (database.isTransaction) return false;
    try {
      database.exec(
        `PRAGMA busy_timeout = ${timeout}; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE`,
      );
      for (const [keyId, usage] of changes)
        if (usage === undefined) remove.run(keyId);
        else upsert.run(usageRow(keyId, usage));
      database.exec("COMMIT");
      return true;
    } catch {
      // A full disk, say, must not end the process.
      if (database.isTransaction) database.exec("ROLLBACK");
      return false;
    } finally {
      database.exec(`PRAGMA synchronous = FULL; PRAGMA busy_timeout = ${busyTimeout}`);
    }
  };
}
