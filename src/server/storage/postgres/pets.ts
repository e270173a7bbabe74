import type { NewPet } from "../../../core/pet.ts";
import { petJsonEnd, petJsonStart } from "../../api/pet-json.ts";
import { createBatcher } from "../batcher.ts";
import { readPets } from "../tables.ts";
import { type Database, type DatabaseConnection, DatabaseRefusal } from "./database.ts";
import { lockStore, prefix } from "./schema.ts";

const maxRowsPerStatement = 1_000;

/** Returns the animals in `database`, to which other stores may add. */
export function postgresPets(database: Database) {
  return {
    ...readPets(database.run, prefix),
    // The next batch starts while one is being committed, and PostgreSQL may flush both together.
    add: createBatcher((pets: readonly NewPet[]) => insertEach(database, pets), {
      concurrency: 2,
      maxBatch: 500,
    }),
    addAll: (pets: readonly NewPet[]) =>
      database.use((connection) => insertAllIfEmpty(connection, pets)),
  };
}

/** Inserts `pets` in one statement; if the database refuses it, each gets its own, so that one does not make others fail. */
async function insertEach(
  database: Database,
  pets: readonly NewPet[],
): Promise<readonly (string | Error)[]> {
  try {
    return await insertPets(database, pets);
  } catch (error) {
    if (!(error instanceof DatabaseRefusal) || pets.length === 1) throw error;
    const alone: (string | Error)[] = [];
    for (const pet of pets)
      alone.push(...(await insertPets(database, [pet]).catch((failed: Error) => [failed])));
    return alone;
  }
}

/** Stores all of `pets`; none if there are animals already: another store may have just seeded the database. */
async function insertAllIfEmpty(
  connection: DatabaseConnection,
  pets: readonly NewPet[],
): Promise<number> {
  await connection.run("BEGIN ISOLATION LEVEL READ COMMITTED");
  await lockStore(connection);
  const rows = (await readPets(connection.run, prefix).isEmpty()) ? pets : [];
  for (let at = 0; at < rows.length; at += maxRowsPerStatement)
    await insertPets(connection, rows.slice(at, at + maxRowsPerStatement));
  await connection.run("COMMIT");
  return rows.length;
}

/** Inserts `pets` in one statement under ascending ids; returns the JSON of each in the same order. */
async function insertPets(
  { run }: Pick<Database, "run">,
  pets: readonly NewPet[],
): Promise<readonly string[]> {
  const rows = await run(
    `WITH new AS MATERIALIZED (
       SELECT nextval('${prefix}pet_ids') AS id, status, json_end
       FROM unnest($1::text[], $2::text[]) AS asked (status, json_end)
     ), added AS (
       INSERT INTO ${prefix}pets (id, status, json)
       SELECT id, status, '${petJsonStart}' || id || json_end FROM new
       RETURNING id, json
     )
     SELECT json FROM added ORDER BY id`,
    [pets.map(({ status }) => status ?? null), pets.map(petJsonEnd)],
  );
  return rows.map(({ json }) => String(json));
}
