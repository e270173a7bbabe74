import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { NewPet } from "../../../core/pet.ts";
import { petJson } from "../../api/pet-json.ts";
import type { KeyRecord } from "../../keys.ts";
import { emptyUsage, pruneExpired } from "../../rate-limits/limits.ts";
import { memoryLedger, type UsageMap } from "../../rate-limits/usage-ledger.ts";
import { createBatcher } from "../batcher.ts";
import type { JsonBytes, KeyStorage, OwnStorage, StoreData } from "../storage.ts";
import { parseUsage, readPets, type Run, storedKeys } from "../tables.ts";
import {
  createTables,
  findDataFile,
  lockDataFile,
  makePrivate,
  openFile,
  randomHex,
  sqliteError,
} from "./file.ts";

/** How long a write waits for another program that writes keys: milliseconds, in which all requests wait. */
const writeTimeoutMs = 1_000;
/** How long a change of keys waits for a running store that is writing. */
const keysTimeoutMs = 5_000;
/** Longer pages are not cached, to bound memory: there are 400 different queries. */
const maxPageBytes = 32_768;

/** Returns animals and keys in the memory of this process. */
export function memoryStorage(): OwnStorage {
  const database = new DatabaseSync(":memory:");
  createTables(database);
  return storageOn(database, "memory");
}

/** Returns data in memory, which end with the process; a ban lasts `banMs`, by default as long as the service's. */
export function memoryData(banMs?: number): StoreData {
  const own = { storage: memoryStorage(), limits: memoryLedger(banMs) };
  return { ...own, local: own };
}

/** Opens a data file, or creates it if it is missing or empty. Throws an io Failure that names it; see `lockDataFile`. */
export function fileData(name: string, now: () => number, banMs?: number): StoreData {
  const { file, lock } = lockDataFile(name);
  try {
    makePrivate(file);
    return openFile(file, writeTimeoutMs, (database) => {
      // Before it turns WAL on, so that the header is in the file itself.
      createTables(database);
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
      const usages = sqliteUsages(file, now());
      const storage = storageOn(database, file);
      const close = async (): Promise<void> => {
        usages.close();
        await storage.close();
        lock.release();
      };
      const own = { storage: { ...storage, close }, limits: memoryLedger(banMs, usages) };
      return { ...own, local: own };
    });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Opens the keys in a data file, even while a store is running on it. Throws an io Failure that names it. */
export function fileKeys(name: string): KeyStorage {
  const file = findDataFile(name);
  return openFile(file, keysTimeoutMs, (database) => {
    return { ...storedKeys(runOn(database, file)), close: async () => database.close() };
  });
}

function storageOn(database: DatabaseSync, place: string): OwnStorage {
  const run = runOn(database, place);
  const select = database.prepare("SELECT id, page_secret FROM store");
  const pets = ownPets(database, run, place);
  let identity = select.get();
  return {
    place,
    storeId: () => String(identity?.id),
    pageSecret: () => String(identity?.page_secret),
    ...pets,
    ...sharedKeys(database, run),
    replaceAll: (animals) => {
      pets.replaceAll(animals);
      identity = select.get();
    },
    close: async () => {
      // Adds are stored in the next turn of the event loop.
      await new Promise(setImmediate);
      database.close();
    },
  };
}

/** Runs statements at once; each is prepared at its first use. Throws a StorageError. */
function runOn(database: DatabaseSync, place: string): Run {
  const prepared = new Map<string, StatementSync>();
  return async (text, values = []) => {
    try {
      const statement = prepared.get(text) ?? database.prepare(text);
      prepared.set(text, statement);
      return statement.all(Object.fromEntries(values.map((value, at) => [`$${at + 1}`, value])));
    } catch (error) {
      throw sqliteError(place, error);
    }
  };
}

/** Keys are forgotten when another process has written, by data_version (https://sqlite.org/pragma.html), once a turn. */
function sharedKeys(database: DatabaseSync, run: Run) {
  const known = new Map<string, KeyRecord>();
  const keys = storedKeys(run, known);
  const dataVersion = database.prepare("PRAGMA data_version");
  let version: unknown;
  let isFresh = false;
  return {
    ...keys,
    findKey: (id: string) => {
      if (!isFresh) {
        const current = dataVersion.get()?.data_version;
        if (current !== version) known.clear();
        version = current;
        isFresh = true;
        setImmediate(() => (isFresh = false));
      }
      return keys.findKey(id);
    },
  };
}

/** No other process may change animals: ids and pages are cached, because building a page costs more than sending it. */
function ownPets(database: DatabaseSync, run: Run, place: string) {
  const stored = readPets(run, { counts: "count FROM counts WHERE count > 0" });
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
  /** Returns the error of a row, which undoes only itself; throws one that ended the transaction (sqlite.org). */
  const tryInsert = (pet: NewPet): string | Error => {
    try {
      return insert(pet);
    } catch (cause) {
      const error = sqliteError(place, cause);
      if (database.isTransaction && error instanceof Error) return error;
      throw error;
    }
  };
  /** Commits what `work` does, or if it or the commit throws, undoes it. */
  const inTransaction = <T>(work: () => T): T => {
    try {
      // IMMEDIATE: otherwise each row of a group would wait for another program that writes.
      database.exec("BEGIN IMMEDIATE");
      const result = work();
      database.exec("COMMIT");
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      previous = lastId();
      throw sqliteError(place, error);
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
      if (previous > 0n) return false;
      inTransaction(() => pets.forEach(insert));
      return true;
    },
    replaceAll: (pets) =>
      inTransaction(() => {
        database.exec(`UPDATE store SET id = ${randomHex(8)}; DELETE FROM pets;
          UPDATE counts SET count = 0`);
        previous = 0n;
        pets.forEach(insert);
      }),
  } satisfies Partial<OwnStorage>;
}

/** The delay between a change and the write of all changes: kill -9 may lose a second. */
const writeDelayMs = 900;

/** Loads the usages in force at `now`; changes are written behind, waiting for no other program and not for the disk. */
function sqliteUsages(file: string, now: number): UsageMap & { close(): void } {
  const database = new DatabaseSync(file, { timeout: 0 });
  database.exec("PRAGMA synchronous = NORMAL");
  const rows = database.prepare("SELECT id, usage FROM keys").all();
  const usages = new Map(
    rows.map(({ id, usage }) => [String(id), pruneExpired(parseUsage(usage), now)]),
  );
  const update = database.prepare("UPDATE keys SET usage = ? WHERE id = ?");
  const changed = new Set<string>();
  const write = (): void => {
    try {
      database.exec("BEGIN IMMEDIATE");
      for (const keyId of changed)
        update.run(JSON.stringify(usages.get(keyId) ?? emptyUsage), keyId);
      database.exec("COMMIT");
      changed.clear();
    } catch {
      // If the file is busy or the disk is full, the changes stay to be written.
      if (database.isTransaction) database.exec("ROLLBACK");
    }
  };
  const timer = setInterval(() => changed.size > 0 && write(), writeDelayMs).unref();
  return {
    get: (keyId) => usages.get(keyId),
    set: (keyId, usage) => {
      changed.add(keyId);
      return usages.set(keyId, usage);
    },
    clear: () => {
      for (const keyId of usages.keys()) changed.add(keyId);
      usages.clear();
    },
    close: () => {
      clearInterval(timer);
      database.exec(`PRAGMA busy_timeout = ${writeTimeoutMs}`);
      write();
      database.close();
    },
  };
}
