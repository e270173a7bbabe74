import { describe, expect, it } from "vitest";
import { samplePets } from "../../../../src/server/seed/generate.ts";
import { openKeys, openStorage } from "../../../../src/server/storage/open.ts";
import { open } from "../../../support/databases/postgres-data.ts";
import { postgresAvailable, sql, usePostgres } from "../../../support/databases/postgres.ts";

const rex = { name: "Rex", categoryId: 1n };
const hints = (grant: string) => [expect.stringContaining(`\`GRANT ${grant} TO visitor;\``)];
const idOf = (json: string): number => JSON.parse(json).id;

describe.skipIf(!postgresAvailable)("PostgreSQL", () => {
  const server = usePostgres();

  it("gives each animal its own id, whichever store adds it", async () => {
    const url = await server.createDatabase();
    const stores = await Promise.all([open(url), open(url), open(url)]);
    const asked = Array.from({ length: 900 }, (_none, place) => `pet ${place}`);
    const added = await Promise.all(
      asked.map((name, place) => (stores[place % 3] ?? stores[0]).storage.add({ ...rex, name })),
    );
    expect(added.map((text) => JSON.parse(text).name)).toEqual(asked);
    expect(new Set(added.map(idOf)).size).toBe(900);
    const rows = await sql(url, "SELECT json FROM pets_store.pets ORDER BY id");
    expect(rows.map(({ json }) => json)).toEqual(
      added.toSorted((one, other) => idOf(one) - idOf(other)),
    );
  });

  it("is seeded with all or none, and once if several stores start together", async () => {
    const url = await server.createDatabase();
    const stores = await Promise.all([open(url), open(url), open(url)]);
    await sql(url, "ALTER TABLE pets_store.pets ADD CHECK (json NOT LIKE '%bad%')");
    const broken = [...samplePets(2_500), { ...rex, name: "bad" }];
    await expect(stores[0].storage.addAll(broken)).rejects.toThrow("violates check");
    expect(await stores[0].storage.isEmpty()).toBe(true);
    const added = await Promise.all(stores.map(({ storage }) => storage.addAll(samplePets(2_500))));
    expect(added.filter((isSeeded) => isSeeded)).toHaveLength(1);
    const [row] = await sql(url, "SELECT count(*)::int AS count FROM pets_store.pets");
    expect(row).toEqual({ count: 2_500 });
  });

  it("has an animal on disk when it was added, even if the server is set not to wait for that", async () => {
    const url = await server.createDatabase();
    await sql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
    const { storage } = await open(url);
    await sql(
      url,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
       $$BEGIN RAISE 'it is %', current_setting('synchronous_commit'); END$$;
     CREATE TRIGGER refuse BEFORE INSERT ON pets_store.pets EXECUTE FUNCTION refuse()`,
    );
    await expect(storage.add(rex)).rejects.toThrow("it is on");
  });

  it("has a schema that is made once, however many stores start together", async () => {
    const url = await server.createDatabase();
    const stores = await Promise.all(Array.from({ length: 8 }, () => open(url)));
    const added = await Promise.all(stores.map(({ storage }) => storage.add(rex)));
    expect(new Set(added.map(idOf))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8]));
  });

  it.each([
    ["a schema of no version", "DELETE FROM pets_store.version", "not a pets schema"],
    ["the schema of a newer program", "UPDATE pets_store.version SET version = 99", "newer pets"],
    ["that of an older one", "UPDATE pets_store.version SET version = 4", "older pets"],
    [
      "someone else's schema",
      "DROP SCHEMA pets_store CASCADE; CREATE SCHEMA pets_store; CREATE TABLE pets_store.pets (n int)",
      "not a pets schema",
    ],
  ])("is rejected unchanged with %s", async (_what, change, message) => {
    const url = await server.createDatabase();
    await (await openStorage(url, Date.now)).storage.close();
    await sql(url, change);
    const tables = "SELECT relname FROM pg_class WHERE relnamespace = 'pets_store'::regnamespace";
    const before = await sql(url, tables);
    await expect(openStorage(url, Date.now)).rejects.toThrow(message);
    await expect(openKeys(url)).rejects.toThrow(message);
    expect(await sql(url, tables)).toEqual(before);
  });

  it("requires an encoding that can store every name, or one of bytes", async () => {
    const latin = await server.createDatabase("ENCODING 'LATIN1' TEMPLATE template0");
    await expect(openStorage(latin, Date.now)).rejects.toThrow("LATIN1");
    const { storage } = await open(
      await server.createDatabase("ENCODING 'SQL_ASCII' TEMPLATE template0"),
    );
    const kept = await storage.add({ name: "花子 🐾", categoryId: 1n });
    expect(await storage.get(1n)).toBe(kept);
  });

  it("is not created to show its keys", async () => {
    const url = await server.createDatabase();
    await expect(openKeys(url)).rejects.toThrow(`no store in ${url}`);
    expect(await sql(url, "SELECT FROM pg_namespace WHERE nspname = 'pets_store'")).toEqual([]);
  });

  it("needs only the right to use a schema that was created for it", async () => {
    const url = await server.createDatabase();
    const shopkeeper = "ROLE shopkeeper LOGIN; CREATE SCHEMA pets_store AUTHORIZATION shopkeeper";
    await sql(url, `CREATE ${shopkeeper}`);
    const { storage } = await open(url.replace("postgres@", "shopkeeper@"));
    expect(await storage.add(rex)).toContain('"id":1,');
    await sql(url, "CREATE ROLE visitor LOGIN");
    const visited = openStorage(url.replace("postgres@", "visitor@"), Date.now);
    const message = expect.stringMatching(/127\.0\.0\.1:\d+.*permission denied/);
    const schema = hints("USAGE, CREATE ON SCHEMA pets_store");
    await expect(visited).rejects.toMatchObject({ message, hints: schema });
    const other = (await server.createDatabase()).replace("postgres@", "visitor@");
    const database = hints(`CREATE ON DATABASE ${new URL(other).pathname.slice(1)}`);
    await expect(openStorage(other, Date.now)).rejects.toMatchObject({ hints: database });
  });
});
