import type { KeyRecord } from "../../keys.ts";
import type { KeyData, StoreData } from "../storage.ts";
import { type Database, openDatabase } from "./database.ts";
import { toStartFailure } from "./errors.ts";
import { postgresKeys } from "./keys.ts";
import { postgresLimits } from "./limits.ts";
import { postgresPets } from "./pets.ts";
import { migrateSchema, migrateStore, readIdentity } from "./schema.ts";

/**
 * Opens the data in the PostgreSQL database of a `postgres://` URL, which other stores may use at
 * the same time. `now` is the store's clock, in ms since the epoch. Throws a usage Failure for an
 * invalid URL, and an io Failure that names the server.
 */
export async function postgresData(url: string, now: () => number): Promise<StoreData> {
  const database = await open(url, migrateSchema);
  const { place, close } = database;
  const known = new Map<string, KeyRecord>();
  const pets = postgresPets(database);
  const keys = postgresKeys(database, known);
  const storage = { place, close, ...(await readIdentity(database)), ...pets, ...keys };
  return { storage, limits: postgresLimits(database, known, now), close };
}

/** Opens the keys of an existing store. Throws like `postgresData`, and if there is no store. */
export async function postgresKeyData(url: string): Promise<KeyData> {
  const database = await open(url, migrateStore);
  return { keys: postgresKeys(database, new Map()), close: database.close };
}

/** Opens the database at `url`, and waits for `ready`. */
async function open(url: string, ready: (database: Database) => Promise<void>): Promise<Database> {
  const { Client, Pool } = await import("pg");
  const database = openDatabase({ Client, Pool }, url);
  try {
    await ready(database);
    return database;
  } catch (error) {
    await database.close();
    throw toStartFailure(error);
  }
}
