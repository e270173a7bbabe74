import type { NewPet } from "../../../client/types.ts";
import { createBatcher, type Waiting } from "../batcher.ts";
import { DatabaseError, markMaybeCommitted } from "./errors.ts";
import { petJson, petJsonEnd, petJsonStart } from "../../routes/pet-json.ts";
import type { Connection, Database, Statement } from "./database.ts";
import { schema } from "./schema.ts";

/** While one group is being committed the next begins, and PostgreSQL may write both at once. */
const groups = { concurrency: 2, maxBatch: 500 };

/** The ids come in the order of the rows, each higher than all that were given out before. */
const insert: Statement = {
  name: "insert",
  text: `WITH new AS MATERIALIZED (
      SELECT nextval('${schema}.pet_ids') AS id, status, json_end
      FROM unnest($1::text[], $2::text[]) AS asked (status, json_end)
    )
    INSERT INTO ${schema}.pets (id, status, json)
    SELECT id, status, '${petJsonStart}' || id || json_end FROM new
    RETURNING id`,
};

/** Keeps `pets` in one statement, and answers their ids, as text, in the same order. */
export async function insertPets(
  connection: Pick<Connection, "run">,
  pets: readonly NewPet[],
): Promise<readonly string[]> {
  const statuses = pets.map(({ status }) => status ?? null);
  const rows = await connection.run(insert, [statuses, pets.map(petJsonEnd)]);
  const ids = rows.map(({ id }) => BigInt(String(id)));
  return ids.sort((one, other) => (one < other ? -1 : 1)).map(String);
}

/**
 * How an animal is kept: those that are asked for together share a transaction, and so its commit.
 * One that the database refuses does not fail its neighbours.
 */
export function postgresAdds(database: Database): (pet: NewPet) => Promise<string> {
  const keep = async (group: readonly Waiting<NewPet, string>[]): Promise<void> => {
    try {
      const ids = await insertPets(
        database,
        group.map(({ item }) => item),
      );
      for (const [place, { item, resolve }] of group.entries())
        resolve(petJson(ids[place] ?? "", item));
    } catch (error) {
      if (group.length === 1 || !isRefusal(error)) throw error;
      await database.use((connection) => insertEach(connection, group));
    }
  };
  return createBatcher<NewPet, string>(async (group) => {
    try {
      await keep(group);
    } catch (error) {
      throw markMaybeCommitted(error);
    }
  }, groups);
}

/** Whether the server said no to what was asked, and undid all of it: a row may be to blame. */
function isRefusal(error: unknown): boolean {
  return error instanceof DatabaseError && !error.nature.noResponse && !error.nature.isTransient;
}

/** Keeps each animal behind a savepoint of its own, all in one transaction. */
async function insertEach(
  connection: Connection,
  group: readonly Waiting<NewPet, string>[],
): Promise<void> {
  const answers: (() => void)[] = [];
  await connection.run({ text: "BEGIN" });
  for (const { item, resolve, reject } of group) {
    await connection.run({ text: "SAVEPOINT pet" });
    try {
      const [id] = await insertPets(connection, [item]);
      answers.push(() => resolve(petJson(id ?? "", item)));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await connection.run({ text: "ROLLBACK TO SAVEPOINT pet" });
      answers.push(() => reject(error));
    }
    await connection.run({ text: "RELEASE SAVEPOINT pet" });
  }
  await connection.run({ text: "COMMIT" });
  for (const answer of answers) answer();
}
