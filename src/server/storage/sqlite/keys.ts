import type { DatabaseSync } from "node:sqlite";
import { storedKeyOf, keyRecordOf, type KeyRecord } from "../../keys.ts";
import type { KeyStorage } from "../storage.ts";

/** Returns the keys in `database`. Changes by another process apply from the next request on. */
export function sqliteKeys(database: DatabaseSync): KeyStorage {
  const cache = keyCache(database);
  const put = database.prepare(
    `INSERT INTO keys (id, hash, plan, is_operator, created_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE
       SET plan = excluded.plan, is_operator = is_operator OR excluded.is_operator`,
  );
  const all = database.prepare(
    "SELECT id, plan, is_operator, created_at FROM keys ORDER BY created_at, id",
  );
  const remove = database.prepare("DELETE FROM keys WHERE id = ?");
  return {
    findKey: async (id) => cache.find(id),
    putKey: async ({ id, hash, plan, isOperator }, now) => {
      put.run(id, hash, plan, Number(isOperator), Math.trunc(now));
      cache.clear();
    },
    listKeys: async () => all.all().map(storedKeyOf),
    removeKey: async (id) => {
      const { changes } = remove.run(id);
      cache.clear();
      return changes > 0;
    },
  };
}

/**
 * Caches valid keys until another connection writes to the database, which is checked once a turn
 * of the event loop (https://sqlite.org/pragma.html#pragma_data_version).
 */
function keyCache(database: DatabaseSync) {
  const select = database.prepare("SELECT hash, plan, is_operator FROM keys WHERE id = ?");
  const dataVersion = database.prepare("PRAGMA data_version");
  const kept = new Map<string, KeyRecord>();
  let version: unknown;
  let isFresh = false;
  const refresh = (): void => {
    const current = dataVersion.get()?.data_version;
    if (current !== version) kept.clear();
    version = current;
    isFresh = true;
    setImmediate(() => {
      isFresh = false;
    });
  };
  return {
    find: (id: string): KeyRecord | undefined => {
      if (!isFresh) refresh();
      const cached = kept.get(id);
      if (cached !== undefined) return cached;
      const found = keyRecordOf(id, select.get(id));
      if (found !== undefined) kept.set(id, found);
      return found;
    },
    clear: () => kept.clear(),
  };
}
