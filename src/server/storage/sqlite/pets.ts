import type { DatabaseSync } from "node:sqlite";
import type { NewPet } from "../../../core/pet.ts";
import { petJson } from "../../api/pet-json.ts";
import { createBatcher, type Waiting } from "../batcher.ts";
import { type JsonBytes, type OwnStorage, type PageQuery, statusCounts } from "../storage.ts";
import type { SqliteIdentity } from "./schema.ts";

type PetParts = "list" | "add" | "get" | "isEmpty" | "addAll" | "countByStatus" | "replaceAll";

/**
 * Returns the animals in `database`, which no other process may change: ids and pages are kept. When all animals are replaced, the data gets
 * another `identity`.
 */
export function sqlitePets(
  database: DatabaseSync,
  identity: SqliteIdentity,
): Pick<OwnStorage, PetParts> {
  const pages = keptPages(database);
  const table = petTable(database, pages.clear);
  const one = database.prepare("SELECT json FROM pets WHERE id = ?");
  const any = database.prepare("SELECT 1 FROM pets LIMIT 1");
  const byStatus = database.prepare("SELECT status, count(*) AS count FROM pets GROUP BY status");
  return {
    list: async (query) => pages.read(query),
    add: createBatcher(commitAdds(table), { concurrency: 1, maxBatch: Infinity }),
    get: async (id) => {
      const row = one.get(id);
      return row === undefined ? undefined : String(row.json);
    },
    isEmpty: async () => any.get() === undefined,
    addAll: async (pets) => {
      table.inTransaction(() => pets.forEach(table.insert));
      return pets.length;
    },
    countByStatus: async () => statusCounts(byStatus.all()),
    replaceAll: (pets) => {
      table.inTransaction(() => {
        identity.renew();
        table.clear();
        pets.forEach(table.insert);
      });
      identity.reload();
    },
  };
}

/** Longer pages, in bytes, are not kept, to bound memory: there are 400 different queries. */
const maxPageBytes = 32_768;

/** Reads pages, as the bytes to send, and keeps them until the next write: building one costs more than sending it. */
function keptPages(database: DatabaseSync) {
  const page = (condition: string) =>
    database.prepare(
      `SELECT '[' || coalesce(group_concat(json, ',' ORDER BY id DESC), '') || ']' AS page
       FROM (SELECT id, json FROM pets ${condition} ORDER BY id DESC LIMIT ?)`,
    );
  const newest = page("");
  const ofStatus = page("WHERE status = ?");
  const kept = new Map<string, JsonBytes>();
  return {
    read: ({ limit, status }: PageQuery): JsonBytes => {
      const name = `${limit} ${status}`;
      const found = kept.get(name);
      if (found !== undefined) return found;
      const row = status === undefined ? newest.get(limit) : ofStatus.get(status, limit);
      const bytes = Buffer.from(String(row?.page));
      if (bytes.length <= maxPageBytes) kept.set(name, bytes);
      return bytes;
    },
    clear: () => kept.clear(),
  };
}

type PetTable = ReturnType<typeof petTable>;

/** Writes animals under ascending ids from 1; `onChange` is called after each transaction. */
function petTable(database: DatabaseSync, onChange: () => void) {
  const insert = database.prepare("INSERT INTO pets (id, status, json) VALUES (?, ?, ?)");
  const removeAll = database.prepare("DELETE FROM pets");
  // As text, because an int64 may be too large for a number.
  const last = database.prepare("SELECT CAST(coalesce(max(id), 0) AS TEXT) AS id FROM pets");
  const lastId = (): bigint => BigInt(String(last.get()?.id));
  let previous = lastId();
  return {
    insert: (pet: NewPet): string => {
      const json = petJson(previous + 1n, pet);
      insert.run(previous + 1n, pet.status ?? null, json);
      previous += 1n;
      return json;
    },
    clear: (): void => {
      removeAll.run();
      previous = 0n;
    },
    isOpen: (): boolean => database.isTransaction,
    /** Commits what `work` does, or if it or the commit throws, undoes it. */
    inTransaction: <T>(work: () => T): T => {
      // IMMEDIATE: otherwise each row of a group would wait for another program that writes.
      database.exec("BEGIN IMMEDIATE");
      try {
        const result = work();
        database.exec("COMMIT");
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        previous = lastId();
        throw error;
      } finally {
        onChange();
      }
    },
  };
}

/**
 * Returns the work that commits adds in one transaction, because the fsync at its end is the main cost. Each
 * settles after the commit; one that fails does not affect the others.
 */
function commitAdds(table: PetTable) {
  return async (group: readonly Waiting<NewPet, string>[]): Promise<void> => {
    const settles = table.inTransaction(() => group.map((add) => tryInsert(table, add)));
    for (const settle of settles) settle();
  };
}

/**
 * Inserts one animal, and returns how to settle its promise. A row that fails undoes only its own
 * statement; throws if the failure ended the whole transaction
 * (https://sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction).
 */
function tryInsert(
  table: PetTable,
  { item, resolve, reject }: Waiting<NewPet, string>,
): () => void {
  try {
    const json = table.insert(item);
    return () => resolve(json);
  } catch (error) {
    if (!table.isOpen()) throw error;
    return () => reject(error);
  }
}
