import type { NewPet } from "../../../core/pet.ts";
import { petJson, petJsonEnd, petJsonStart } from "../../api/pet-json.ts";
import { createBatcher, type Waiting } from "../batcher.ts";
import { statusCounts } from "../status-counts.ts";
import type { Storage } from "../storage.ts";
import type { DatabaseConnection, Database, DatabaseRow, Statement } from "./database.ts";
import { DatabaseError, markMaybeCommitted } from "./errors.ts";
import { lockStore, schemaName } from "./schema.ts";

type PetStorage = Pick<Storage, "list" | "add" | "get" | "isEmpty" | "addAll" | "countByStatus">;

/** Rows per statement when a store is seeded. */
const seedBatchSize = 1_000;

const page = (name: string, condition: string): Statement => ({
  name,
  text: `SELECT '[' || coalesce(string_agg(json, ',' ORDER BY id DESC), '') || ']' AS page
    FROM (SELECT id, json FROM ${schemaName}.pets ${condition} ORDER BY id DESC LIMIT $1) AS newest`,
});
const anyPage = page("page", "");
const pageOfStatus = page("page_of_status", "WHERE status = $2");
const oneById: Statement = {
  name: "one",
  text: `SELECT json FROM ${schemaName}.pets WHERE id = $1`,
};
const byStatus: Statement = {
  text: `SELECT status, count(*) AS count FROM ${schemaName}.pets GROUP BY status`,
};
const some: Statement = { name: "some", text: `SELECT FROM ${schemaName}.pets LIMIT 1` };

/** Returns the animals in `database`, to which other stores may add. */
export function postgresPets(database: Database): PetStorage {
  return {
    list: async ({ limit, status }) => {
      const [row] = await (status === undefined
        ? database.run(anyPage, [limit])
        : database.run(pageOfStatus, [limit, status]));
      return Buffer.from(textColumn(row, "page") ?? "[]");
    },
    add: postgresAdds(database),
    get: async (id) => textColumn((await database.run(oneById, [String(id)]))[0], "json"),
    isEmpty: () => isEmpty(database),
    countByStatus: async () => statusCounts(await database.run(byStatus)),
    addAll: (pets) => database.use((connection) => insertAllIfEmpty(connection, pets)),
  };
}

async function isEmpty(connection: Pick<DatabaseConnection, "run">): Promise<boolean> {
  return (await connection.run(some)).length === 0;
}

/**
 * Stores all of `pets`, or none. Stores none if there are animals already: another store may have just
 * seeded the database.
 */
async function insertAllIfEmpty(
  connection: DatabaseConnection,
  pets: AsyncIterable<NewPet> | Iterable<NewPet>,
): Promise<number> {
  await connection.run({ text: "BEGIN ISOLATION LEVEL READ COMMITTED" });
  await lockStore(connection);
  let count = 0;
  if (await isEmpty(connection)) {
    for await (const rows of chunk(pets)) count += (await insertPets(connection, rows)).length;
  }
  await connection.run({ text: "COMMIT" });
  return count;
}

async function* chunk(
  pets: AsyncIterable<NewPet> | Iterable<NewPet>,
): AsyncGenerator<readonly NewPet[]> {
  let rows: NewPet[] = [];
  for await (const pet of pets) {
    rows.push(pet);
    if (rows.length < seedBatchSize) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

function textColumn(row: DatabaseRow | undefined, column: string): string | undefined {
  const value = row?.[column];
  return typeof value === "string" ? value : undefined;
}

/** Two at once: the next batch starts while one is being committed, and PostgreSQL may flush both together. */
const batches = { concurrency: 2, maxBatch: 500 };

/** Assigns ids in the order of the rows, each higher than all before. */
const insert: Statement = {
  name: "insert",
  text: `WITH new AS MATERIALIZED (
      SELECT nextval('${schemaName}.pet_ids') AS id, status, json_end
      FROM unnest($1::text[], $2::text[]) AS asked (status, json_end)
    )
    INSERT INTO ${schemaName}.pets (id, status, json)
    SELECT id, status, '${petJsonStart}' || id || json_end FROM new
    RETURNING id`,
};

/** Inserts `pets` in one statement, and returns their ids, as text, in the same order. */
async function insertPets(
  connection: Pick<DatabaseConnection, "run">,
  pets: readonly NewPet[],
): Promise<readonly string[]> {
  const statuses = pets.map(({ status }) => status ?? null);
  const rows = await connection.run(insert, [statuses, pets.map(petJsonEnd)]);
  const ids = rows.map(({ id }) => BigInt(String(id)));
  return ids.sort((one, other) => (one < other ? -1 : 1)).map(String);
}

/**
 * Returns a function that stores an animal. Concurrent calls share a transaction and its commit; an
 * animal that the database refuses does not make the others fail.
 */
function postgresAdds(database: Database): (pet: NewPet) => Promise<string> {
  const insertGroup = async (group: readonly Waiting<NewPet, string>[]): Promise<void> => {
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
      await insertGroup(group);
    } catch (error) {
      throw markMaybeCommitted(error);
    }
  }, batches);
}

/** Returns whether the server refused the statement and rolled back: one of its rows may be the cause. */
function isRefusal(error: unknown): boolean {
  return error instanceof DatabaseError && !error.nature.noResponse && !error.nature.isTransient;
}

/** Inserts each animal after a savepoint of its own, all in one transaction. */
async function insertEach(
  connection: DatabaseConnection,
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
