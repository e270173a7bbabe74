import { keptKey, keyOfRow, type KeyRecord } from "../../keys.ts";
import type { Database, Statement } from "./database.ts";
import { schema } from "./schema.ts";
import type { KeyStorage } from "../storage.ts";

const find: Statement = {
  name: "find_key",
  text: `SELECT hash, plan FROM ${schema}.keys WHERE id = $1`,
};
const put: Statement = {
  text: `INSERT INTO ${schema}.keys (id, hash, plan, created_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (id) DO UPDATE SET plan = excluded.plan`,
};
const list: Statement = {
  text: `SELECT id, plan, created_at FROM ${schema}.keys ORDER BY created_at, id`,
};
const remove: Statement = { text: `DELETE FROM ${schema}.keys WHERE id = $1 RETURNING id` };

/**
 * The keys in `database`. One that was found is in `known` from then on: what its id stands for never
 * changes, and whether it is still valid, and its plan, is asked for with its limits each time.
 */
export function postgresKeys(database: Database, known: Map<string, KeyRecord>): KeyStorage {
  return {
    findKey: async (id) => {
      const kept = known.get(id);
      if (kept !== undefined) return kept;
      const found = keyOfRow(id, (await database.run(find, [id]))[0]);
      if (found !== undefined) known.set(id, found);
      return found;
    },
    putKey: async ({ id, hash, plan }, now) => {
      await database.run(put, [id, hash, plan, Math.trunc(now)]);
    },
    listKeys: async () => (await database.run(list)).map(keptKey),
    removeKey: async (id) => (await database.run(remove, [id])).length > 0,
  };
}
