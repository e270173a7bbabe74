import type { DatabaseSync } from "node:sqlite";
import type { NewPet } from "../../../client/types.ts";
import { groupCommit, type Transaction } from "./group-commit.ts";
import { recentPets } from "./page-cache.ts";
import { replyCache } from "./reply-cache.ts";
import { petInserter, pageReader } from "./sqlite-rows.ts";
import type { OwnStorage } from "../storage.ts";

type PetParts = "list" | "add" | "get" | "isEmpty" | "addAll" | "count" | "replaceAll";
type Pets = Pick<OwnStorage, PetParts> & {
  /** Resolves when no add is waiting any more. */
  readonly drain: () => Promise<void>;
};

/** A turn of the event loop after this many rows, so that signals are heard while many are kept. */
const rowsPerTurn = 10_000;

/** The animals in `database`, which nobody else may change: ids and replies are kept in memory. */
export function sqlitePets(database: DatabaseSync): Pets {
  const insert = petInserter(database);
  const newest = recentPets(pageReader(database));
  const cache = replyCache();
  const one = database.prepare("SELECT json FROM pets WHERE id = ?");
  const any = database.prepare("SELECT 1 FROM pets LIMIT 1");
  const all = database.prepare("SELECT count(*) AS count FROM pets");
  const removeAll = database.prepare("DELETE FROM pets");
  const transaction: Transaction = {
    // Else each row of the group would wait for another program that writes.
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
  const keep = (pet: NewPet): string => {
    const json = insert.one(pet);
    newest.stage(pet.status, json);
    return json;
  };
  const adds = groupCommit(keep, transaction);
  return {
    list: async (query) => cache.get(query) ?? cache.keep(query, newest.page(query)),
    add: adds.add,
    get: async (id) => textOf(one.get(id)?.json),
    isEmpty: async () => any.get() === undefined,
    addAll: async (pets) => insertAll(pets, keep, transaction),
    count: async () => Number(all.get()?.count),
    replaceAll: async (pets) => {
      await adds.drain();
      await insertAll(pets, keep, transaction, () => {
        removeAll.run();
        insert.reloadLastId();
        newest.forget();
      });
    },
    drain: adds.drain,
  };
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

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
