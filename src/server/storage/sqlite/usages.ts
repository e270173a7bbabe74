import { emptyUsage, pruneExpired } from "../../rate-limits/limits.ts";
import type { UsageMap } from "../../rate-limits/usage-ledger.ts";
import { parseUsage } from "../tables.ts";
import type { SqliteDatabase } from "./database.ts";

/** Loads the usages in force at `now`, and returns what writes those that changed since. */
export function storedUsages({ all, transaction }: SqliteDatabase, now: number) {
  const rows = all("SELECT id, usage FROM keys");
  const usages = new Map(
    rows.map(({ id, usage }) => [String(id), pruneExpired(parseUsage(usage), now)]),
  );
  const changed = new Set<string>();
  const map: UsageMap = {
    get: (keyId) => usages.get(keyId),
    set: (keyId, usage) => {
      changed.add(keyId);
      return usages.set(keyId, usage);
    },
    clear: () => {
      for (const keyId of usages.keys()) changed.add(keyId);
      usages.clear();
    },
  };
  const write = (): void => {
    if (changed.size === 0) return;
    transaction(() => {
      for (const id of changed) {
        const usage = JSON.stringify(usages.get(id) ?? emptyUsage);
        all("UPDATE keys SET usage = ? WHERE id = ?", usage, id);
      }
    });
    changed.clear();
  };
  return { map, write };
}
