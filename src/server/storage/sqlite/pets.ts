import type { DatabaseSync } from "node:sqlite";
import type { NewPet } from "../../../core/pet.ts";
import { petJson } from "../../api/pet-json.ts";
import { createBatcher } from "../batcher.ts";
import type { JsonBytes, OwnStorage } from "../storage.ts";
import { readPets, type Run } from "../tables.ts";
import { randomHex } from "./schema.ts";

/** Longer pages are not cached, to bound memory: there are 400 different queries. */
const maxPageBytes = 32_768;

/**
 * Returns the animals in `database`, which no other process may change: ids and pages are cached, because building a page
 * costs more than sending it. Ids ascend from 1.
 */
export function sqlitePets(database: DatabaseSync, run: Run) {
  const stored = readPets(run);
  const insertRow = database.prepare("INSERT INTO pets (id, status, json) VALUES (?, ?, ?)");
  // As text, because an int64 may be too large for a number.
  const last = database.prepare("SELECT CAST(coalesce(max(id), 0) AS TEXT) AS id FROM pets");
  const lastId = (): bigint => BigInt(String(last.get()?.id));
  let previous = lastId();
  let pages = new Map<string, JsonBytes>();
  const insert = (pet: NewPet): string => {
    const json = petJson(previous + 1n, pet);
    insertRow.run(previous + 1n, pet.status ?? null, json);
    previous += 1n;
    return json;
  };
  /**
   * Returns the error of a row that fails, which undoes only its own statement; throws it if it ended the transaction
   * (https://sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction).
   */
  const tryInsert = (pet: NewPet): string | Error => {
    try {
      return insert(pet);
    } catch (error) {
      if (database.isTransaction && error instanceof Error) return error;
      throw error;
    }
  };
  /** Commits what `work` does, or if it or the commit throws, undoes it. */
  const inTransaction = <T>(work: () => T): T => {
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
      pages = new Map();
    }
  };
  return {
    ...stored,
    list: async (query) => {
      const name = `${query.limit} ${query.status}`;
      const cache = pages;
      const found = cache.get(name);
      if (found !== undefined) return found;
      const page = await stored.list(query);
      // If something was written meanwhile, `cache` is no longer in use.
      if (page.length <= maxPageBytes) cache.set(name, page);
      return page;
    },
    // A group shares one transaction, because the fsync at its end is the main cost.
    add: createBatcher(async (pets) => inTransaction(() => pets.map(tryInsert)), {
      concurrency: 1,
      maxBatch: Infinity,
    }),
    addAll: async (pets) => {
      inTransaction(() => pets.forEach(insert));
      return pets.length;
    },
    replaceAll: (pets) =>
      inTransaction(() => {
        database.exec(`UPDATE store SET id = ${randomHex(8)}; DELETE FROM pets`);
        previous = 0n;
        pets.forEach(insert);
      }),
  } satisfies Partial<OwnStorage>;
}
