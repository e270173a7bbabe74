import type { StoreData } from "./data.ts";
import { failureOf } from "./database-trouble.ts";
import type { KeyRecord } from "./keys.ts";
import { type Database, openDatabase } from "./postgres-database.ts";
import { postgresKeys } from "./postgres-keys.ts";
import { postgresLimits } from "./postgres-limits.ts";
import { postgresPets } from "./postgres-pets.ts";
import { migrate } from "./postgres-schema.ts";
import { readDatabaseUrl } from "./postgres-url.ts";

/**
 * All that a store keeps, in the PostgreSQL database of a `postgres://` URL, which other stores may
 * use at the same time. `now` is the store's clock, in ms since the epoch. Throws a usage Failure
 * for a URL that is none, and an io Failure that names the server.
 */
export async function postgresData(url: string, now: () => number): Promise<StoreData> {
  const database = openDatabase(readDatabaseUrl(url));
  try {
    await migrate(database);
  } catch (error) {
    await database.close();
    throw failureOf(error);
  }
  return dataIn(database, now);
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
