import type { DatabaseSync } from "node:sqlite";
import type { NewPet } from "../../../core/pet.ts";
import { petJson } from "../../api/pet-json.ts";
import { createBatcher, type Waiting } from "../batcher.ts";
import { type JsonBytes, type OwnStorage, type PageQuery, statusCounts } from "../storage.ts";
import type { SqliteIdentity } from "./schema.ts";

type PetParts = "list" | "add" | "get" | "isEmpty" | "addAll" | "countByStatus" | "replaceAll";

/** Rows between turns of the event loop, so that signals are handled during long inserts. */
const rowsPerTurn = 10_000;

/**
 * Returns the animals in `database`, which no other process may change: ids and pages are cached. When
 * all animals are replaced, the data gets another `identity`.
 */
export function sqlitePets(
  database: DatabaseSync,
  identity: SqliteIdentity,
): Pick<OwnStorage, PetParts> {
  const pages = cachedPages(database);
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
    addAll: async (pets) => insertAll(table, pets),
    countByStatus: async () => statusCounts(byStatus.all()),
    replaceAll: async (pets) => {
      await insertAll(table, pets, () => {
        identity.renew();
        table.clear();
      });
      identity.reload();
    },
  };
}

/** Longer pages, in bytes, are not cached, to bound memory: there are 400 different queries. */
const maxPageBytes = 32_768;

/** Reads pages, as the bytes to send, and caches them until the next write. */
function cachedPages(database: DatabaseSync) {
  const page = (condition: string) =>
    database.prepare(
      `SELECT '[' || coalesce(group_concat(json, ',' ORDER BY id DESC), '') || ']' AS page
       FROM (SELECT id, json FROM pets ${condition} ORDER BY id DESC LIMIT ?)`,
    );
  const all = page("");
  const ofStatus = page("WHERE status = ?");
  const cache = new Map<string, JsonBytes>();
  return {
    read: (query: PageQuery): JsonBytes => {
      const { limit, status } = query;
      const name = JSON.stringify(query);
      const cached = cache.get(name);
      if (cached !== undefined) return cached;
      const row = status === undefined ? all.get(limit) : ofStatus.get(status, limit);
      const bytes = Buffer.from(String(row?.page));
      if (bytes.length <= maxPageBytes) cache.set(name, bytes);
      return bytes;
    },
    clear: () => cache.clear(),
  };
}

type PetTable = ReturnType<typeof petTable>;

/** Writes animals under ascending ids from 1, in transactions; `onEnd` is called when one has ended. */
function petTable(database: DatabaseSync, onEnd: () => void) {
  const insert = database.prepare("INSERT INTO pets (id, status, json) VALUES (?, ?, ?)");
  const removeAll = database.prepare("DELETE FROM pets");
  // As text, because an int64 may be too large for a number.
  const last = database.prepare("SELECT CAST(coalesce(max(id), 0) AS TEXT) AS id FROM pets");
  const lastId = (): bigint => BigInt(String(last.get()?.id));
  let previous = lastId();
  return {
    // IMMEDIATE: otherwise each row of a group would wait for another program that writes.
    begin: () => database.exec("BEGIN IMMEDIATE"),
    insert: (pet: NewPet): string => {
      const json = petJson(previous + 1n, pet);
      insert.run(previous + 1n, pet.status ?? null, json);
      previous += 1n;
      return json;
    },
    clear: () => {
      removeAll.run();
      previous = 0n;
    },
    commit: () => {
      database.exec("COMMIT");
      onEnd();
    },
    /** Rolls back, if the transaction is still open. If that fails too, the first failure is the one to report. */
    rollback: () => {
      onEnd();
      try {
        if (database.isTransaction) database.exec("ROLLBACK");
        previous = lastId();
      } catch {
        // The next transaction fails to begin.
      }
    },
    isOpen: () => database.isTransaction,
  };
}

async function insertAll(
  table: PetTable,
  pets: AsyncIterable<NewPet> | Iterable<NewPet>,
  prepare = (): void => {},
): Promise<number> {
  let count = 0;
  table.begin();
  try {
    prepare();
    for await (const pet of pets) {
      table.insert(pet);
      count += 1;
      if (count % rowsPerTurn === 0) await new Promise(setImmediate);
    }
    table.commit();
    return count;
  } catch (error) {
    table.rollback();
    throw error;
  }
}

/**
 * Returns the work that commits adds in one transaction, because the fsync at its end is the main cost. Each
 * settles after the commit; one that fails does not affect the others.
 */
function commitAdds(table: PetTable) {
  return async (group: readonly Waiting<NewPet, string>[]): Promise<void> => {
    try {
      table.begin();
      const settles = group.map((add) => tryInsert(table, add));
      table.commit();
      for (const settle of settles) settle();
    } catch (error) {
      table.rollback();
      throw error;
    }
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
