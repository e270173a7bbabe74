import type { NewPet } from "../../../core/pet.ts";
import { petJsonEnd, petJsonStart } from "../../api/pet-json.ts";
import type { KeyRecord } from "../../keys.ts";
import { createBatcher } from "../batcher.ts";
import type { KeyStorage, StoreData } from "../storage.ts";
import { readPets, storedKeys } from "../tables.ts";
import { type Database, openDatabase } from "./database.ts";
import { postgresLimits } from "./limits.ts";
import { createSchema, prefix, whileLocked } from "./schema.ts";

/** Opens a database that other stores may use too. Throws a StorageError, an io Failure, or a usage Failure for a bad URL. */
export async function postgresData(
  url: string,
  now: () => number,
  connections?: number,
): Promise<StoreData> {
  const database = await open(url, true, connections);
  const { place, run, close } = database;
  const [identity] = await run(`SELECT id, page_secret FROM ${prefix}store`);
  // A key's hash and its right never change; its plan, and whether it is valid, are read with its limits.
  const known = new Map<string, KeyRecord>();
  const storage = {
    place,
    close,
    storeId: () => String(identity?.id),
    pageSecret: () => String(identity?.page_secret),
    ...sharedPets(database),
    ...storedKeys(run, known, prefix),
  };
  return { storage, limits: postgresLimits(database, known, now) };
}

/** Opens the keys of an existing store. Throws like `postgresData`, and if there is no store. */
export async function postgresKeys(url: string): Promise<KeyStorage> {
  const { run, close } = await open(url, false);
  return { ...storedKeys(run, new Map(), prefix), close };
}

async function open(url: string, mayCreate: boolean, connections?: number): Promise<Database> {
  const database = await openDatabase(url, connections);
  try {
    await createSchema(database, mayCreate);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

const maxRowsPerStatement = 1_000;

function sharedPets(database: Database) {
  return {
    ...readPets(database.run, { prefix }),
    // The next batch starts while one is being committed, and PostgreSQL may flush both together.
    add: createBatcher((pets: readonly NewPet[]) => insertPets(database, pets), {
      concurrency: 2,
      maxBatch: 500,
    }),
    // Another store may be seeding.
    addAll: (pets: readonly NewPet[]) =>
      whileLocked(database, async (connection) => {
        const isEmpty = await readPets(connection.run, { prefix }).isEmpty();
        const rows = isEmpty ? pets : [];
        for (let at = 0; at < rows.length; at += maxRowsPerStatement)
          await insertPets(connection, rows.slice(at, at + maxRowsPerStatement));
        return isEmpty;
      }),
  };
}

/** Inserts `pets` in one statement under ascending ids; returns the JSON of each in the same order. */
async function insertPets(
  { run }: Pick<Database, "run">,
  pets: readonly NewPet[],
): Promise<readonly string[]> {
  const rows = await run(
    `WITH new AS MATERIALIZED (
       SELECT nextval('${prefix}pet_ids') AS id, status, json_end
       FROM unnest(string_to_array($1, E'\\n', ''), string_to_array($2, E'\\n')) AS asked (status, json_end)
     ), added AS (
       INSERT INTO ${prefix}pets (id, status, json)
       SELECT id, status, '${petJsonStart}' || id || json_end FROM new
       RETURNING id, json
     )
     SELECT json FROM added ORDER BY id`,
    // JSON has no line breaks.
    [pets.map(({ status = "" }) => status).join("\n"), pets.map(petJsonEnd).join("\n")],
  );
  return rows.map(({ json }) => String(json));
}
