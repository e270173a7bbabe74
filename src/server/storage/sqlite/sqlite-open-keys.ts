import { DatabaseSync } from "node:sqlite";
import type { KeyData } from "../open.ts";
import { noStore } from "../no-store.ts";
import { findDataFile, withFileName } from "./file.ts";
import { tooNew } from "./sqlite-header.ts";
import { sqliteKeys } from "./keys.ts";
import { schemaVersion, versionOf } from "./schema.ts";

/** How long a change waits, in ms, for a store that is just writing. */
const busyTimeout = 5_000;

/**
 * Opens the keys in the data file `name`, also while a store runs on it. Throws an io Failure that
 * names the file where there is no store in it, or a newer program made it.
 */
export function openKeysOnly(name: string): KeyData {
  const file = findDataFile(name);
  try {
    const database = openDatabase(file);
    return { keys: sqliteKeys(database), close: async () => database.close() };
  } catch (error) {
    throw withFileName(file, error);
  }
}

function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: busyTimeout });
  try {
    // The keys' own table is in every version so far, so the store alone brings the schema up to date.
    const version = versionOf(database);
    if (version > schemaVersion) throw tooNew(file, version);
    if (version === 0) throw noStore(file);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
