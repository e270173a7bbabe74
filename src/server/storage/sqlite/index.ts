import { DatabaseSync } from "node:sqlite";
import { ledgerOn, memoryLedger } from "../../rate-limits/usage-ledger.ts";
import { type KeyData, noStore, type OwnStorage, type StoreData } from "../storage.ts";
import { findDataFile, lockDataFile, openFile } from "./file.ts";
import { sqliteKeys } from "./keys.ts";
import { sqlitePets } from "./pets.ts";
import { migrateFile, readVersion, sqliteIdentity } from "./schema.ts";
import { sqliteUsages } from "./usages.ts";

/**
 * How long a write waits, in ms, for another program that writes keys into the same file: that
 * takes milliseconds, and blocks all requests.
 */
const writeTimeoutMs = 1_000;
/** How long a change of keys waits, in ms, for a running store that is writing. */
const keysBusyTimeoutMs = 5_000;

/** Returns animals and keys in the memory of this process. */
export function memoryStorage(): OwnStorage {
  const database = new DatabaseSync(":memory:");
  migrateFile(database);
  return storageOn(database, "memory");
}

/** Opens data in the memory of this process; bans last `banMs`. */
export function memoryData(banMs?: number): StoreData {
  const own = { storage: memoryStorage(), limits: memoryLedger(banMs) };
  return { ...own, local: own, close: () => own.storage.close() };
}

/**
 * Opens the data in the SQLite file `name`, which is created if it does not exist or is empty.
 * `now` is the store's clock, in ms since the epoch; bans last `banMs`. Throws an io Failure that names the file; see
 * `lockDataFile`.
 */
export function fileData(name: string, now: () => number, banMs?: number): StoreData {
  const { file, lock } = lockDataFile(name);
  try {
    return openFile(file, writeTimeoutMs, (database) => {
      // Migrates before it turns WAL on, so that the header is in the file itself.
      migrateFile(database);
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
      const usages = sqliteUsages(file, now(), writeTimeoutMs);
      const storage = storageOn(database, file);
      const own = { storage, limits: ledgerOn(usages, banMs) };
      const close = async (): Promise<void> => {
        usages.close();
        await storage.close();
        lock.release();
      };
      return { ...own, local: own, close };
    });
  } catch (error) {
    lock.release();
    throw error;
  }
}

function storageOn(database: DatabaseSync, place: string): OwnStorage {
  const identity = sqliteIdentity(database);
  const { storeId, pageSecret } = identity;
  const close = async (): Promise<void> => {
    // Adds are stored in the next turn of the event loop.
    await new Promise(setImmediate);
    database.close();
  };
  const parts = { ...sqlitePets(database, identity), ...sqliteKeys(database) };
  return { place, storeId, pageSecret, ...parts, close };
}

/**
 * Opens the keys in the data file `name`, even while a store is running on it. Throws an io Failure
 * that names the file if there is no store in it, or if a newer program made it.
 */
export function openKeysOnly(name: string): KeyData {
  const file = findDataFile(name);
  return openFile(file, keysBusyTimeoutMs, (database) => {
    if (readVersion(database) === 0) throw noStore(file);
    migrateFile(database);
    return { keys: sqliteKeys(database), close: async () => database.close() };
  });
}
