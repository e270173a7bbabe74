import type { NewPet } from "../../../client/types.ts";
import { insertPets, postgresAdds } from "./postgres-adds.ts";
import type { Connection, Database, Row, Statement } from "./database.ts";
import { lockStore, schema } from "./schema.ts";
import type { Storage } from "../storage.ts";

type Pets = Pick<Storage, "list" | "add" | "get" | "isEmpty" | "addAll">;

/** So many rows are sent at once when a store is planted. */
const rowsAtOnce = 1_000;

const page = (name: string, condition: string): Statement => ({
  name,
  text: `SELECT '[' || coalesce(string_agg(json, ',' ORDER BY id DESC), '') || ']' AS page
    FROM (SELECT id, json FROM ${schema}.pets ${condition} ORDER BY id DESC LIMIT $1) AS newest`,
});
const anyPage = page("page", "");
const pageOfStatus = page("page_of_status", "WHERE status = $2");
const one: Statement = { name: "one", text: `SELECT json FROM ${schema}.pets WHERE id = $1` };
const some: Statement = { name: "some", text: `SELECT FROM ${schema}.pets LIMIT 1` };

/** The animals in `database`, to which other stores may add. */
export function postgresPets(database: Database): Pets {
  return {
    list: async ({ limit, status }) => {
      const [row] = await (status === undefined
        ? database.run(anyPage, [limit])
        : database.run(pageOfStatus, [limit, status]));
      return Buffer.from(textOf(row, "page") ?? "[]");
    },
    add: postgresAdds(database),
    get: async (id) => textOf((await database.run(one, [String(id)]))[0], "json"),
    isEmpty: () => isEmpty(database),
    addAll: (pets) => database.use((connection) => insertAllIfEmpty(connection, pets)),
  };
}

async function isEmpty(connection: Pick<Connection, "run">): Promise<boolean> {
  return (await connection.run(some)).length === 0;
}

/** Keeps all of `pets`, or none; none too where there are animals: another store may just have planted them. */
async function insertAllIfEmpty(
  connection: Connection,
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
    if (rows.length < rowsAtOnce) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

function textOf(row: Row | undefined, column: string): string | undefined {
  const value = row?.[column];
  return typeof value === "string" ? value : undefined;
}
