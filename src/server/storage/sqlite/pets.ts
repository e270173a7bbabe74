import type { DatabaseSync } from "node:sqlite";
import type { NewPet } from "../../../core/pet.ts";
import { petJson } from "../../api/pet-json.ts";
import type { OwnStorage, PageQuery } from "../storage.ts";
import { statusCounts } from "../status-counts.ts";
import { groupCommit, type Transaction } from "./group-commit.ts";
import type { SqliteIdentity } from "./identity.ts";
import { recentPets, pageCache } from "./page-cache.ts";

type PetParts = "list" | "add" | "get" | "isEmpty" | "addAll" | "countByStatus" | "replaceAll";
type DrainablePets = Pick<OwnStorage, PetParts> & {
  /** Resolves when no add is waiting. */
  readonly drain: () => Promise<void>;
};

/** Rows between turns of the event loop, so that signals are handled during long inserts. */
const rowsPerTurn = 10_000;

/**
 * Returns the animals in `database`, which no other process may change: ids and replies are cached. When
 * all animals are replaced, the data gets another `identity`.
 */
export function sqlitePets(database: DatabaseSync, identity: SqliteIdentity): DrainablePets {
  const insert = petInserter(database);
  const newest = recentPets(pageReader(database));
  const cache = pageCache();
  const one = database.prepare("SELECT json FROM pets WHERE id = ?");
  const any = database.prepare("SELECT 1 FROM pets LIMIT 1");
  const removeAll = database.prepare("DELETE FROM pets");
  const transaction: Transaction = {
    // IMMEDIATE: otherwise each row of the group would wait for another program that writes.
    begin: () => database.exec("BEGIN IMMEDIATE"),
    commit: () => {
      database.exec("COMMIT");
      newest.commit();
      cache.clear();
    },
    rollback: () => {
      newest.forget();
      cache.clear();
      if (database.isTransaction) database.exec("ROLLBACK");
      insert.reloadLastId();
    },
    isOpen: () => database.isTransaction,
  };
  const insertPet = (pet: NewPet): string => {
    const json = insert.one(pet);
    newest.stage(pet.status, json);
    return json;
  };
  const adds = groupCommit(insertPet, transaction);
  return {
    list: async (query) => cache.get(query) ?? cache.keep(query, newest.page(query)),
    add: adds.add,
    get: async (id) => asText(one.get(id)?.json),
    isEmpty: async () => any.get() === undefined,
    addAll: async (pets) => insertAll(pets, insertPet, transaction),
    countByStatus: statusCounter(database),
    replaceAll: async (pets) => {
      await adds.drain();
      await insertAll(pets, insertPet, transaction, () => {
        identity.renew();
        removeAll.run();
        insert.reloadLastId();
        newest.forget();
      });
      identity.reload();
    },
    drain: adds.drain,
  };
}

function statusCounter(database: DatabaseSync): OwnStorage["countByStatus"] {
  const count = database.prepare("SELECT status, count(*) AS count FROM pets GROUP BY status");
  return async () => statusCounts(count.all());
}

async function insertAll(
  pets: AsyncIterable<NewPet> | Iterable<NewPet>,
  insert: (pet: NewPet) => string,
  { begin, commit, rollback }: Transaction,
  prepare = (): void => {},
): Promise<number> {
  let count = 0;
  begin();
  try {
    prepare();
    for await (const pet of pets) {
      insert(pet);
      count += 1;
      if (count % rowsPerTurn === 0) await new Promise(setImmediate);
    }
    commit();
    return count;
  } catch (error) {
    rollback();
    throw error;
  }
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Inserts animals under ascending ids from 1, in the open transaction. */
function petInserter(database: DatabaseSync) {
  const insert = database.prepare("INSERT INTO pets (id, status, json) VALUES (?, ?, ?)");
  const last = database.prepare("SELECT max(id) AS id FROM pets");
  last.setReadBigInts(true);
  const lastId = (): bigint => {
    const id = last.get()?.id;
    return typeof id === "bigint" ? id : 0n;
  };
  let previous = lastId();
  return {
    one: (pet: NewPet): string => {
      const id = previous + 1n;
      const json = petJson(id, pet);
      insert.run(id, pet.status ?? null, json);
      previous = id;
      return json;
    },
    /** Reads the last id again, after a rollback. */
    reloadLastId: () => {
      previous = lastId();
    },
  };
}

/** Reads the JSON of the newest animals, newest first. */
function pageReader(database: DatabaseSync): (query: PageQuery) => readonly string[] {
  const newest = (condition: string) =>
    database.prepare(`SELECT json FROM pets ${condition} ORDER BY id DESC LIMIT ?`);
  const all = newest("");
  const ofStatus = newest("WHERE status = ?");
  return ({ limit, status }) => {
    const rows = status === undefined ? all.all(limit) : ofStatus.all(status, limit);
    return rows.map(({ json }) => String(json));
  };
}
