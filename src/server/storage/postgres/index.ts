import type { KeyRecord } from "../../keys.ts";
import type { KeyData, StoreData } from "../storage.ts";
import { readDatabaseUrl } from "./address.ts";
import { type Database, openDatabase } from "./database.ts";
import { toStartFailure } from "./errors.ts";
import { postgresKeys } from "./keys.ts";
import { postgresLimits } from "./limits.ts";
import { postgresPets } from "./pets.ts";
import { checkStore, migrateSchema } from "./schema.ts";

/**
 * All that a store keeps, in the PostgreSQL database of a `postgres://` URL, which other stores may
 * use at the same time. `now` is the store's clock, in ms since the epoch. Throws a usage Failure
 * for a URL that is none, and an io Failure that names the server.
 */
export async function postgresData(url: string, now: () => number): Promise<StoreData> {
  return dataIn(await open(url, migrateSchema), now);
}

/** The keys alone, of a store that was made there before. Throws as `postgresData`, and where there is none. */
export async function postgresKeyData(url: string): Promise<KeyData> {
  const database = await open(url, checkStore);
  return { keys: postgresKeys(database, new Map()), close: () => database.close() };
}

/** The database at `url`, when it has been made ready. */
async function open(url: string, ready: (database: Database) => Promise<void>): Promise<Database> {
  const database = openDatabase(readDatabaseUrl(url));
  try {
    await ready(database);
    return database;
  } catch (error) {
    await database.close();
    throw toStartFailure(error);
  }
}

function dataIn(database: Database, now: () => number): StoreData {
  const known = new Map<string, KeyRecord>();
  const { place } = database;
  const close = (): Promise<void> => database.close();
  return {
    storage: { place, ...postgresPets(database), ...postgresKeys(database, known), close },
    limits: postgresLimits(database, known, now),
    close,
  };
}
