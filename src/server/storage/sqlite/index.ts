import type { NewPet } from "../../../core/pet.ts";
import { petJson } from "../../api/pet-json.ts";
import type { KeyRecord } from "../../keys.ts";
import { memoryLedger } from "../../rate-limits/usage-ledger.ts";
import { createBatcher } from "../batcher.ts";
import type { JsonBytes, KeyStorage, OwnStorage, StoreData } from "../storage.ts";
import { readPets, type Run, storedKeys } from "../tables.ts";
import { openSqlite, type SqliteDatabase } from "./database.ts";
import { findDataFile, lockDataFile, orClose, watchDataFile } from "./file.ts";
import { createTables, randomHex } from "./schema.ts";
import { storedUsages } from "./usages.ts";

/** How long a write waits for another program that writes keys: milliseconds, in which all requests wait. */
const writeTimeoutMs = 1_000;
/** How long a change of keys waits for a running store that is writing. */
const keysTimeoutMs = 5_000;
/** What is written is safe from power loss. */
const durable = `PRAGMA synchronous = FULL; PRAGMA busy_timeout = ${writeTimeoutMs}`;
/** A write waits for no other program, and not for the disk. */
const behind = "PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 0";
/** How often usages are written, so that kill -9 may lose a second, and an idle store looks for its file. */
const tickMs = 900;
/** Longer pages are not cached, to bound memory: there are 400 different queries. */
const maxPageBytes = 32_768;

/** Returns animals and keys in the memory of this process. */
export function memoryStorage(): OwnStorage {
  const database = openSqlite("memory", 0);
  createTables(database);
  return storageOn(database, () => {}, database.close);
}

/** Returns data in memory, which end with the process; a ban lasts `banMs`, by default as long as the service's. */
export function memoryData(banMs?: number): StoreData {
  const own = { storage: memoryStorage(), limits: memoryLedger(banMs) };
  return { ...own, local: own };
}

/** Opens a data file, or creates it if it is missing or empty. Throws a StorageError, or an io Failure (`lockDataFile`). */
export function fileData(name: string, now: () => number, banMs?: number): StoreData {
  const { file, lock } = lockDataFile(name);
  const database = openSqlite(file, writeTimeoutMs);
  const release = (): void => {
    database.close();
    lock.release();
  };
  return orClose(release, () => {
    // Before it turns WAL on, so that the header is in the file itself.
    createTables(database);
    database.exec(`PRAGMA journal_mode = WAL; ${durable}`);
    const usages = storedUsages(database, now());
    const { check, lost } = watchDataFile(file);
    const storage = storageOn(database, check, () => {
      clearInterval(timer);
      quietly(usages.write);
      // SQLite itself leaves the WAL of a file that was moved.
      quietly(() => database.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
      release();
    });
    const timer = setInterval(() => {
      database.exec(behind);
      quietly(() => {
        check(true);
        usages.write();
      });
      database.exec(durable);
    }, tickMs).unref();
    const own = { storage, limits: memoryLedger(banMs, usages.map) };
    return { ...own, local: own, lost };
  });
}

/** Does `work`, and ignores errors: what is busy or full is tried again, and requests report the rest. */
function quietly(work: () => void): void {
  try {
    work();
  } catch {}
}

/** Opens the keys in a data file, even while a store is running on it. Throws a StorageError, or an io Failure. */
export function fileKeys(name: string): KeyStorage {
  const { run, close } = openSqlite(findDataFile(name), keysTimeoutMs);
  return { ...storedKeys(run), close: async () => close() };
}

/** Returns animals and keys in a database with tables; `check` throws if it is lost. */
function storageOn(
  database: SqliteDatabase,
  check: (isWritten: boolean) => void,
  close: () => void,
): OwnStorage {
  const known = new Map<string, KeyRecord>();
  let version: unknown;
  let isFresh = false;
  /** Checks the file, and forgets keys if another process has written; once in a turn of the event loop. */
  const refresh = (): void => {
    if (isFresh) return;
    check(false);
    // https://sqlite.org/pragma.html#pragma_data_version
    const current = database.get("PRAGMA data_version")?.data_version;
    if (current !== version) known.clear();
    version = current;
    isFresh = true;
    setImmediate(() => (isFresh = false));
  };
  const run: Run = async (text, values) => {
    refresh();
    return database.run(text, values);
  };
  const keys = storedKeys(run, known);
  const readIdentity = () => database.get("SELECT id, page_secret FROM store");
  let identity = readIdentity();
  const pets = ownPets(database, run, refresh, check);
  return {
    place: database.place,
    storeId: () => String(identity?.id),
    pageSecret: () => String(identity?.page_secret),
    ...pets,
    ...keys,
    findKey: (id) => {
      refresh();
      return keys.findKey(id);
    },
    replaceAll: (animals) => {
      pets.replaceAll(animals);
      identity = readIdentity();
    },
    close: async () => {
      // Adds are stored in the next turn of the event loop.
      await new Promise(setImmediate);
      close();
    },
  };
}

/** No other process may change animals: ids and pages are cached, because building a page costs more than sending it. */
function ownPets(
  database: SqliteDatabase,
  run: Run,
  refresh: () => void,
  check: (isWritten: boolean) => void,
) {
  const stored = readPets(run, { counts: "count FROM counts WHERE count > 0" });
  // As text, because an int64 may be too large for a number.
  const selectLast = "SELECT CAST(coalesce(max(id), 0) AS TEXT) AS id FROM pets";
  const lastId = (): bigint => BigInt(String(database.get(selectLast)?.id));
  let previous = lastId();
  let pages = new Map<string, JsonBytes>();
  const insert = (pet: NewPet): string => {
    const json = petJson(previous + 1n, pet);
    const values = [previous + 1n, pet.status ?? null, json];
    database.all("INSERT INTO pets (id, status, json) VALUES (?, ?, ?)", ...values);
    previous += 1n;
    return json;
  };
  /** Inserts a row. Returns an error that undid only this row; throws one that ended the transaction. */
  const tryInsert = (pet: NewPet): string | Error => {
    try {
      return insert(pet);
    } catch (error) {
      if (database.isInTransaction() && error instanceof Error) return error;
      throw error;
    }
  };
  const write = <T>(work: () => T): T => {
    try {
      const result = database.transaction(work);
      check(true);
      return result;
    } catch (error) {
      previous = lastId();
      throw error;
    } finally {
      pages = new Map();
    }
  };
  return {
    ...stored,
    list: async (query) => {
      refresh();
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
    add: createBatcher(async (pets) => write(() => pets.map(tryInsert)), {
      concurrency: 1,
      maxBatch: Infinity,
    }),
    addAll: async (pets) => {
      if (previous > 0n) return false;
      write(() => pets.forEach(insert));
      return true;
    },
    replaceAll: (pets) =>
      write(() => {
        database.exec(`UPDATE store SET id = ${randomHex(8)}; DELETE FROM pets;
          UPDATE counts SET count = 0`);
        previous = 0n;
        pets.forEach(insert);
      }),
  } satisfies Partial<OwnStorage>;
}
