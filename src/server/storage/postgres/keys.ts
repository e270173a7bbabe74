import { storedKeyOf, keyRecordOf, type KeyRecord } from "../../keys.ts";
import type { Database, Statement } from "./database.ts";
import { schemaName } from "./schema.ts";
import type { KeyStorage } from "../storage.ts";

const findById: Statement = {
  name: "find_key",
  text: `SELECT hash, plan FROM ${schemaName}.keys WHERE id = $1`,
};
const upsert: Statement = {
  text: `INSERT INTO ${schemaName}.keys (id, hash, plan, created_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (id) DO UPDATE SET plan = excluded.plan`,
};
const listAll: Statement = {
  text: `SELECT id, plan, created_at FROM ${schemaName}.keys ORDER BY created_at, id`,
};
const deleteById: Statement = { text: `DELETE FROM ${schemaName}.keys WHERE id = $1 RETURNING id` };

/**
 * Returns the keys in `database`. A key that was found is cached in `known`: its record never
 * changes, and its validity and plan are read with its limits each time.
 */
export function postgresKeys(database: Database, known: Map<string, KeyRecord>): KeyStorage {
  return {
    findKey: async (id) => {
      const kept = known.get(id);
      if (kept !== undefined) return kept;
      const found = keyRecordOf(id, (await database.run(findById, [id]))[0]);
      if (found !== undefined) known.set(id, found);
      return found;
    },
    putKey: async ({ id, hash, plan }, now) => {
      await database.run(upsert, [id, hash, plan, Math.trunc(now)]);
    },
    listKeys: async () => (await database.run(listAll)).map(storedKeyOf),
    removeKey: async (id) => (await database.run(deleteById, [id])).length > 0,
  };
}
