import type { NewPet } from "../../../core/pet.ts";
import { petJson, petJsonEnd, petJsonStart } from "../../api/pet-json.ts";
import { createBatcher, type Waiting } from "../batcher.ts";
import { readPets } from "../tables.ts";
import { type Database, type DatabaseConnection, DatabaseRefusal } from "./database.ts";
import { lockStore, prefix } from "./schema.ts";

const maxRowsPerStatement = 1_000;

/** Returns the animals in `database`, to which other stores may add. */
export function postgresPets(database: Database) {
  const add = async (group: readonly Waiting<NewPet, string>[]): Promise<void> => {
    const pets = group.map(({ item }) => item);
    const ids = await insertPets(database, pets);
    for (const [at, { item, resolve }] of group.entries()) resolve(petJson(ids[at] ?? "", item));
  };
  return {
    ...readPets(database.run, prefix),
    // Concurrent calls share a statement and its commit; if the database refuses it, each animal gets its own, so that
    // one does not make the others fail.
    add: createBatcher<NewPet, string>(
      async (group) => {
        try {
          await add(group);
        } catch (error) {
          if (!(error instanceof DatabaseRefusal) || group.length === 1) throw error;
          for (const one of group) await add([one]).catch(one.reject);
        }
      },
      // The next batch starts while one is being committed, and PostgreSQL may flush both together.
      { concurrency: 2, maxBatch: 500 },
    ),
    addAll: (pets: readonly NewPet[]) =>
      database.use((connection) => insertAllIfEmpty(connection, pets)),
  };
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

/** Inserts `pets` in one statement; returns their ids in the same order, each higher than all before, as text. */
async function insertPets(
  { run }: Pick<Database, "run">,
  pets: readonly NewPet[],
): Promise<readonly string[]> {
  const rows = await run(
    `WITH new AS MATERIALIZED (
       SELECT nextval('${prefix}pet_ids') AS id, status, json_end
       FROM unnest($1::text[], $2::text[]) AS asked (status, json_end)
     )
     INSERT INTO ${prefix}pets (id, status, json)
     SELECT id, status, '${petJsonStart}' || id || json_end FROM new
     RETURNING id`,
    [pets.map(({ status }) => status ?? null), pets.map(petJsonEnd)],
  );
  const ids = rows.map(({ id }) => BigInt(String(id)));
  return ids.sort((one, other) => (one < other ? -1 : 1)).map(String);
}
