import { asPetStatus } from "../../core/pet-fields.ts";
import type { KeyRecord } from "../keys.ts";
import { emptyUsage, type Usage } from "../rate-limits/limits.ts";
import type { KeyStorage, Storage } from "./storage.ts";

/** A row, as any database returns it: a PostgreSQL int8 as text. */
export type DatabaseRow = Readonly<Record<string, unknown>>;

/** Runs one statement with the values of `$1`, `$2` and so on, and returns its rows. */
export type Run = (
  text: string,
  values?: readonly (string | number | Uint8Array)[],
) => Promise<readonly DatabaseRow[]>;

/** Reads the table of animals, by statements that all databases know; `counts` selects how many have each status. */
export function readPets(
  run: Run,
  { prefix = "", counts }: { readonly prefix?: string; readonly counts?: string },
) {
  const table = `${prefix}pets`;
  return {
    list: async ({ limit, status }) => {
      const withStatus = status === null ? "WHERE status IS NULL" : "WHERE status = $2";
      const condition = status === undefined ? "" : withStatus;
      const [row] = await run(
        `SELECT '[' || coalesce(string_agg(json, ',' ORDER BY id DESC), '') || ']' AS page
         FROM (SELECT id, json FROM ${table} ${condition} ORDER BY id DESC LIMIT $1) AS newest`,
        status ? [limit, status] : [limit],
      );
      return Buffer.from(String(row?.page));
    },
    get: async (id) => {
      const [row] = await run(`SELECT json FROM ${table} WHERE id = $1`, [String(id)]);
      return row && String(row.json);
    },
    isEmpty: async () => (await run(`SELECT 1 FROM ${table} LIMIT 1`)).length === 0,
    countByStatus: async () => {
      const rows = await run(
        `SELECT status, ${counts ?? `count(*) AS count FROM ${table} GROUP BY status`}`,
      );
      return new Map(rows.map(({ status, count }) => [asPetStatus(status), Number(count)]));
    },
  } satisfies Partial<Storage>;
}

/** The row of a revoked key stays, without its hash, so that no start makes it again. */
export const isValid = "length(hash) > 0";

/** Returns the table of keys; caches them in `known`, which the caller clears when another process may write. */
export function storedKeys(run: Run, known = new Map<string, KeyRecord>(), prefix = "") {
  const table = `${prefix}keys`;
  const readKey = async (id: string): Promise<KeyRecord | undefined> => {
    known.delete(id);
    const [row] = await run(
      `SELECT hash, plan, is_operator FROM ${table} WHERE id = $1 AND ${isValid}`,
      [id],
    );
    if (!(row?.hash instanceof Uint8Array)) return undefined;
    const found = { ...keyOf({ ...row, id }), hash: row.hash };
    known.set(id, found);
    return found;
  };
  return {
    readKey,
    findKey: async (id) => known.get(id) ?? readKey(id),
    putKey: async ({ id, hash, plan, isOperator }, now) => {
      await run(
        `INSERT INTO ${table} (id, hash, plan, is_operator, created_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (id) DO UPDATE SET plan = excluded.plan`,
        [id, hash, plan, Number(isOperator), Math.trunc(now)],
      );
      known.delete(id);
    },
    listKeys: async () => {
      const columns = "id, plan, is_operator, created_at";
      const rows = await run(
        `SELECT ${columns} FROM ${table} WHERE ${isValid} ORDER BY created_at, id`,
      );
      return rows.map((row) => Object.assign(keyOf(row), { createdAt: Number(row.created_at) }));
    },
    removeKey: async (id) => {
      known.delete(id);
      const revoked = await run(
        `UPDATE ${table} SET hash = substr(hash, 1, 0), usage = NULL
         WHERE id = $1 AND ${isValid} RETURNING id`,
        [id],
      );
      return revoked.length > 0;
    },
    isRevoked: async (id) =>
      (await run(`SELECT 1 FROM ${table} WHERE id = $1 AND NOT ${isValid}`, [id])).length > 0,
  } satisfies Partial<KeyStorage>;
}

const keyOf = ({ id, plan, is_operator }: DatabaseRow) => {
  return { id: String(id), plan: String(plan), isOperator: Boolean(is_operator) };
};

/** Returns the usage of a key from the JSON in which it is stored; of none without. */
export function parseUsage(json: unknown): Usage {
  return typeof json === "string" ? { ...emptyUsage, ...JSON.parse(json) } : emptyUsage;
}
