import type { DatabaseSync } from "node:sqlite";
import type { Storage } from "./storage.ts";

/** The keys in `database`. Each is looked up anew, because `pets keys` changes them meanwhile. */
export function sqliteKeys(database: DatabaseSync): Pick<Storage, "findKey" | "putKey"> {
  const find = database.prepare("SELECT hash, plan FROM keys WHERE id = ?");
  const put = database.prepare(
    `INSERT INTO keys (id, hash, plan, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET plan = excluded.plan`,
  );
  return {
    findKey: async (id) => {
      const row = find.get(id);
      if (!(row?.hash instanceof Uint8Array)) return undefined;
      return { id, hash: row.hash, plan: String(row.plan) };
    },
    putKey: async ({ id, hash, plan }, now) => {
      put.run(id, hash, plan, Math.trunc(now));
    },
  };
}
