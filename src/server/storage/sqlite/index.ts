import { asOwnerOf } from "../../../platform/owner.ts";
import { DatabaseSync } from "node:sqlite";
import type { Lock } from "../../../platform/sqlite-lock.ts";
import { ledgerOn, memoryLedger } from "../../rate-limits/usage-ledger.ts";
import { type KeyData, noStore, type OwnStorage, type StoreData } from "../storage.ts";
import { findDataFile, lockDataFile, fileTooNew, withFileName } from "./file.ts";
import { sqliteIdentity } from "./identity.ts";
import { sqliteKeys } from "./keys.ts";
import { sqlitePets } from "./pets.ts";
import { migrateFile, schemaVersion, readVersion } from "./schema.ts";
import { sqliteUsages } from "./usages.ts";

/**
 * How long a write waits, in ms, for another program that writes keys into the same file: that
 * takes milliseconds, and blocks all requests.
 */
const writeTimeoutMs = 1_000;

/** Returns animals and keys in the memory of this process. */
export function memoryStorage(): OwnStorage {
  const database = new DatabaseSync(":memory:");
  migrateFile(database);
  return storageOn(database, "memory", () => {});
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
    return openStore({ file, lock, now, banMs });
  } catch (error) {
    lock.release();
    throw withFileName(file, error);
  }
}

interface LockedFile {
  readonly file: string;
  readonly lock: Lock;
  readonly now: () => number;
  readonly banMs: number | undefined;
}

function openStore(locked: LockedFile): StoreData {
  return asOwnerOf(locked.file, () => openAsOwner(locked));
}

function openAsOwner({ file, lock, now, banMs }: LockedFile): StoreData {
  const database = new DatabaseSync(file, { timeout: writeTimeoutMs });
  try {
    const version = readVersion(database);
    if (version > schemaVersion) throw fileTooNew(file, version);
    // Migrates before it turns WAL on, so that the header is in the file itself.
    migrateFile(database);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    const usages = sqliteUsages(database, now(), writeTimeoutMs);
    const storage = storageOn(database, file, () => lock.release());
    const close = async (): Promise<void> => {
      usages.close();
      await storage.close();
    };
    const own = { storage, limits: ledgerOn(usages, banMs) };
    return { ...own, local: own, close };
  } catch (error) {
    database.close();
    throw error;
  }
}

function storageOn(database: DatabaseSync, place: string, release: () => void): OwnStorage {
  const identity = sqliteIdentity(database);
  const { storeId, pageSecret } = identity;
  const { drain, ...pets } = sqlitePets(database, identity);
  return {
    place,
    storeId,
    pageSecret,
    ...pets,
    ...sqliteKeys(database),
    close: async () => {
      await drain();
      database.close();
      release();
    },
  };
}

/** How long a change waits, in ms, for a running store that is writing. */
const keysBusyTimeoutMs = 5_000;

/**
 * Opens the keys in the data file `name`, even while a store is running on it. Throws an io Failure
 * that names the file if there is no store in it, or if a newer program made it.
 */
export function openKeysOnly(name: string): KeyData {
  const file = findDataFile(name);
  try {
    const database = asOwnerOf(file, () => openForKeys(file));
    return { keys: sqliteKeys(database), close: async () => database.close() };
  } catch (error) {
    throw withFileName(file, error);
  }
}

function openForKeys(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: keysBusyTimeoutMs });
  try {
    // All versions so far have the table of keys, so no migration is needed here.
    const version = readVersion(database);
    if (version > schemaVersion) throw fileTooNew(file, version);
    if (version === 0) throw noStore(file);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
