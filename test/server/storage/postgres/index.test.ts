import { describe, expect, it } from "vitest";
import { samplePets } from "../../../../src/server/seed/generate.ts";
import { open, pick, idsOf } from "../../../support/databases/postgres-data.ts";
import { postgresAvailable, sql, usePostgres } from "../../../support/databases/postgres.ts";

const rex = { name: "Rex", categoryId: 1n };

describe.skipIf(!postgresAvailable)("animals in PostgreSQL", () => {
  const server = usePostgres();

  it("are added together by several stores, each animal under its own id", async () => {
    const url = await server.createDatabase();
    const stores = await Promise.all([open(url), open(url), open(url)]);
    const asked = Array.from({ length: 900 }, (_none, place) => `pet ${place}`);
    const added = await Promise.all(
      asked.map((name, place) => pick(stores, place).storage.add({ name, categoryId: 1n })),
    );
    expect(added.map((text) => JSON.parse(text).name)).toEqual(asked);
    expect(new Set(idsOf(added)).size).toBe(900);
    const rows = await sql(url, "SELECT json FROM pets_store.pets ORDER BY id");
    expect(rows.map(({ json }) => json)).toEqual(
      added.toSorted((one, other) => JSON.parse(one).id - JSON.parse(other).id),
    );
  });

  it("do not make others fail if the database refuses them", async () => {
    const url = await server.createDatabase();
    const { storage } = await open(url);
    await sql(url, "ALTER TABLE pets_store.pets ADD CHECK (json NOT LIKE '%bad%')");
    const names = ["good", "bad", "good", "bad", "good"];
    const outcomes = await Promise.allSettled(names.map((name) => storage.add({ ...rex, name })));
    expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual(
      names.map((name) => name === "good"),
    );
    const rows = await sql(url, "SELECT json FROM pets_store.pets ORDER BY id");
    expect(rows.map(({ json }) => json)).toEqual(
      outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : [])),
    );
  });

  it("are seeded all or none, and once if several stores start together", async () => {
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

  it("are on disk when added, even if the server is set not to wait for that", async () => {
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
});
