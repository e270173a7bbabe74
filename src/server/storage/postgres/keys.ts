import { keyRecordOf, type KeyRecord, storedKeyOf } from "../../keys.ts";
import type { KeyStorage } from "../storage.ts";
import type { Database } from "./database.ts";
import { schemaName } from "./schema.ts";

const table = `${schemaName}.keys`;

/**
 * Returns the keys in `database`. A key that was found is cached in `known`: its hash never
 * changes, its validity and plan are read with its limits each time, and it stays the operator's.
 */
export function postgresKeys(
  { run }: Pick<Database, "run">,
  known: Map<string, KeyRecord>,
): KeyStorage {
  return {
    findKey: async (id) => {
      const kept = known.get(id);
      if (kept !== undefined) return kept;
      const [row] = await run(`SELECT hash, plan, is_operator FROM ${table} WHERE id = $1`, [id]);
      const found = keyRecordOf(id, row);
      if (found !== undefined) known.set(id, found);
      return found;
    },
    putKey: async ({ id, hash, plan, isOperator }, now) => {
      await run(
        `INSERT INTO ${table} (id, hash, plan, is_operator, created_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (id) DO UPDATE
           SET plan = excluded.plan, is_operator = keys.is_operator OR excluded.is_operator`,
        [id, hash, plan, isOperator, Math.trunc(now)],
      );
    },
    listKeys: async () => {
      const rows = await run(
        `SELECT id, plan, is_operator, created_at FROM ${table} ORDER BY created_at, id`,
      );
      return rows.map(storedKeyOf);
    },
    removeKey: async (id) =>
      (await run(`DELETE FROM ${table} WHERE id = $1 RETURNING id`, [id])).length > 0,
  };
}
