import { describe, expect, it } from "vitest";
import { open } from "../../../support/databases/postgres-data.ts";
import { postgresAvailable, sql, usePostgres } from "../../../support/databases/postgres.ts";

const rex = { name: "Rex", categoryId: 1n };

describe.skipIf(!postgresAvailable)("prepared statements in PostgreSQL", () => {
  const server = usePostgres();

  it("may disappear between statements, as with a pooler", async () => {
    const url = await server.createDatabase();
    const { storage } = await open(url);
    // What was prepared on the connection is gone when the next statement comes.
    await sql(
      url,
      `CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS
         $$BEGIN EXECUTE 'DEALLOCATE ALL'; RETURN NEW; END$$;
       CREATE TRIGGER forget BEFORE INSERT ON pets_store.pets EXECUTE FUNCTION forget()`,
    );
    for (const id of [1, 2, 3]) expect(await storage.add(rex)).toContain(`"id":${id},`);
  });
});
