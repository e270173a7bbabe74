import type { DatabaseSync } from "node:sqlite";
import { emptyUsage, pruneExpired, type Usage } from "../../rate-limits/limits.ts";
import type { UsageMap } from "../../rate-limits/usage-ledger.ts";

/**
 * The delay between a change and the write of all changes, in ms: kill -9 may lose a second.
 */
const writeDelayMs = 900;

/**
 * Loads the usage of keys in `database` at `now` (ms since the epoch) by the store's clock, without what is over, or
 * ends over a day ahead. Changes are written behind; `close` writes the last ones. `busyTimeout` is how long other
 * writes to `database`, and the last one here, wait for another program.
 */
export function sqliteUsages(
  database: DatabaseSync,
  now: number,
  busyTimeout: number,
): UsageMap & { close(): void } {
  const usages = new Map<string, Usage>();
  const changed = new Set<string>();
  const write = usageWriter(database, busyTimeout);
  let timer: NodeJS.Timeout | undefined;
  let isOpen = true;
  const flush = (): void => {
    timer = undefined;
    const changes = [...changed].map((keyId) => [keyId, usages.get(keyId)] as const);
    // Retried in a second; the last write waits instead.
    if (write(changes, isOpen ? 0 : busyTimeout)) changed.clear();
    else later();
  };
  const later = (): void => {
    if (isOpen) timer ??= setTimeout(flush, writeDelayMs).unref();
  };
  const change = (keyId: string): void => {
    changed.add(keyId);
    later();
  };
  for (const row of database.prepare(`SELECT ${columns.join(", ")} FROM usages`).all()) {
    const keyId = String(row.key_id);
    const usage = pruneExpired(decodeUsage(row), now);
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
      flush();
    },
  };
}

function isUnused({ counts, refusal, bannedUntil }: Usage): boolean {
  const isCounted = counts.some(({ requests }) => requests > 0);
  return !isCounted && refusal === undefined && bannedUntil === undefined;
}

/**
 * Returns a function that writes usages in one transaction; it returns false if that is not possible
 * within `timeout` ms. It does not wait for the disk: written usage survives kill -9, but a power
 * failure may lose it.
 */
function usageWriter(database: DatabaseSync, busyTimeout: number) {
  const upsert = database.prepare(`INSERT OR REPLACE INTO usages (${columns.join(", ")})
    VALUES (${columns.map((column) => `:${column}`).join(", ")})`);
  const remove = database.prepare("DELETE FROM usages WHERE key_id = ?");
  return (changes: readonly (readonly [string, Usage | undefined])[], timeout: number): boolean => {
    if (database.isTransaction) return false;
    try {
      database.exec(
        `PRAGMA busy_timeout = ${timeout}; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE`,
      );
      for (const [keyId, usage] of changes)
        if (usage === undefined) remove.run(keyId);
        else upsert.run({ key_id: keyId, ...encodeUsage(usage) });
      database.exec("COMMIT");
      return true;
    } catch {
      // A full disk must not crash the process.
      if (database.isTransaction) database.exec("ROLLBACK");
      return false;
    } finally {
      database.exec(`PRAGMA synchronous = FULL; PRAGMA busy_timeout = ${busyTimeout}`);
    }
  };
}

/** The columns of a usage, without the key's id. */
export const usageColumns = Object.keys(encodeUsage(emptyUsage));
const columns = ["key_id", ...usageColumns];

/** Encodes the usage of a key as a row. */
export function encodeUsage({ counts: [short, long], refusal, bannedUntil }: Usage) {
  return {
    minute_end: short?.end ?? 0,
    minute_requests: short?.requests ?? 0,
    day_end: long?.end ?? 0,
    day_requests: long?.requests ?? 0,
    refused_at: refusal?.at ?? null,
    refused_until: refusal?.until ?? null,
    early: refusal?.early ?? null,
    banned_until: bannedUntil ?? null,
  };
}

/** Decodes the usage of a key. */
export function decodeUsage(row: Record<string, unknown>): Usage {
  const number = (column: string): number => Number(row[column]);
  return {
    counts: [
      { end: number("minute_end"), requests: number("minute_requests") },
      { end: number("day_end"), requests: number("day_requests") },
    ],
    ...(row.refused_at !== null && {
      refusal: {
        at: number("refused_at"),
        until: number("refused_until"),
        early: number("early"),
      },
    }),
    ...(row.banned_until !== null && { bannedUntil: number("banned_until") }),
  };
}
