import type { KeyRecord } from "../../keys.ts";
import type { KeyStorage, StoreData } from "../storage.ts";
import { storedKeys } from "../tables.ts";
import { type Database, openDatabase, toStartFailure } from "./database.ts";
import { postgresLimits } from "./limits.ts";
import { postgresPets } from "./pets.ts";
import { migrateSchema, prefix } from "./schema.ts";

/**
 * Opens the data in the PostgreSQL database of a `postgres://` URL, which other stores may use at the same time. `now` is
 * the store's clock. Throws a usage Failure for an invalid URL, and an io Failure that names the server.
 */
export async function postgresData(url: string, now: () => number): Promise<StoreData> {
  const database = await open(url, true);
  const { place, run, close } = database;
  const [identity] = await run(`SELECT id, page_secret FROM ${prefix}store`);
  // A key's hash never changes, and it stays the operator's; its plan, and whether it is valid, are read with its limits.
  const known = new Map<string, KeyRecord>();
  const storage = {
    place,
    close,
    storeId: () => String(identity?.id),
    pageSecret: () => String(identity?.page_secret),
    ...postgresPets(database),
    ...storedKeys(run, known, prefix),
  };
  return { storage, limits: postgresLimits(database, known, now) };
}

/** Opens the keys of an existing store. Throws like `postgresData`, and if there is no store. */
export async function postgresKeys(url: string): Promise<KeyStorage> {
  const { run, close } = await open(url, false);
  return { ...storedKeys(run, new Map(), prefix), close };
}

/** Opens the database at `url`, and migrates its schema, which it creates only if `mayCreate`. */
async function open(url: string, mayCreate: boolean): Promise<Database> {
  const database = await openDatabase(url);
  try {
    await migrateSchema(database, mayCreate);
    return database;
  } catch (error) {
    await database.close();
    throw toStartFailure(error);
  }
}
