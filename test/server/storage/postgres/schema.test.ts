import { describe, expect, it } from "vitest";
import { openStorage, openKeys } from "../../../../src/server/storage/open.ts";
import { open, idsOf } from "../../../support/databases/postgres-data.ts";
import { postgresAvailable, sql, usePostgres } from "../../../support/databases/postgres.ts";

const rex = { name: "Rex", categoryId: 1n };

const encoding = (name: string): string => `ENCODING '${name}' TEMPLATE template0`;

describe.skipIf(!postgresAvailable)("the schema in PostgreSQL", () => {
  const server = usePostgres();

  it("is made once, however many stores start together", async () => {
    const url = await server.createDatabase();
    const stores = await Promise.all(Array.from({ length: 8 }, () => open(url)));
    const added = await Promise.all(stores.map(({ storage }) => storage.add(rex)));
    expect(idsOf(added).toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it.each([
    ["a schema of no version", "DELETE FROM pets_store.version", "not a pets schema"],
    ["the schema of a newer program", "UPDATE pets_store.version SET version = 99", "newer pets"],
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
    const latin = await server.createDatabase(encoding("LATIN1"));
    await expect(openStorage(latin, Date.now)).rejects.toThrow("LATIN1");
    const { storage } = await open(await server.createDatabase(encoding("SQL_ASCII")));
    const kept = await storage.add({ name: "花子 🐾", categoryId: 1n });
    expect(await storage.get(1n)).toBe(kept);
  });

  it("needs only the right to use a schema that was created for it", async () => {
    const url = await server.createDatabase();
    await sql(
      url,
      `CREATE ROLE shopkeeper LOGIN; CREATE SCHEMA pets_store AUTHORIZATION shopkeeper`,
    );
    const { storage } = await open(url.replace("postgres@", "shopkeeper@"));
    expect(await storage.add(rex)).toContain('"id":1,');
    await sql(url, "CREATE ROLE visitor LOGIN");
    await expect(openStorage(url.replace("postgres@", "visitor@"), Date.now)).rejects.toMatchObject(
      {
        exitCode: 1,
        message: expect.stringMatching(/127\.0\.0\.1:\d+.*permission denied/),
      },
    );
  });
});
