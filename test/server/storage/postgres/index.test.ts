import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { keyRecord } from "../../../../src/server/keys.ts";
import { samplePets } from "../../../../src/server/seed/generate.ts";
import { openKeys, openStorage } from "../../../../src/server/storage/open.ts";
import type { StorageProblem, StoreData } from "../../../../src/server/storage/storage.ts";
import { pgbouncerAvailable, startPooler } from "../../../support/databases/pgbouncer.ts";
import { open, planNamed } from "../../../support/databases/postgres-data.ts";
import { postgresAvailable, sql, usePostgres } from "../../../support/databases/postgres.ts";
import { momentsAt } from "../../../support/servers/exchange.ts";

const rex = { name: "Rex", categoryId: 1n };
const noon = Date.UTC(2026, 10, 5, 12);
const atNoon = momentsAt(noon);
const free = planNamed("free");
const key = keyRecord("some key", free.name);
const hints = (grant: string) => [expect.stringContaining(`\`GRANT ${grant} TO visitor;\``)];
const idOf = (json: string): number => JSON.parse(json).id;

/** Selects who waits for a lock. */
const waiting = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Locks the tables of the data at `url`, as an administrator may, until the test ends. Returns what unlocks them. */
async function lockTables(url: string): Promise<() => Promise<unknown>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("BEGIN; LOCK TABLE pets_store.pets, pets_store.keys");
  return () => client.query("ROLLBACK");
}

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

  it.for([
    ["", false],
    [", behind a pooler that shares its connections", true],
  ] as const)(
    "has an animal on disk when it was added, even if the server is set not to wait for that%s",
    async ([, isPooled], { skip }) => {
      skip(isPooled && !pgbouncerAvailable, "needs PgBouncer");
      const url = await server.createDatabase();
      const off = "SET synchronous_commit = off";
      await sql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} ${off}`);
      const shared = { pool_mode: "transaction", server_reset_query_always: 1 };
      const { storage } = await open(isPooled ? await startPooler(server, url, shared) : url);
      await sql(
        url,
        `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
           $$BEGIN RAISE 'it is %', current_setting('synchronous_commit'); END$$;
         CREATE TRIGGER refuse BEFORE INSERT ON pets_store.pets EXECUTE FUNCTION refuse()`,
      );
      await expect(storage.add(rex)).rejects.toThrow("it is on");
    },
  );

  it("does nothing later that it could not do in time", async () => {
    const url = await server.createDatabase();
    const { storage, limits } = await open(url);
    await storage.putKey(key, noon);
    const unlock = await lockTables(url);
    const asked = [
      storage.add(rex),
      storage.putKey({ ...key, plan: "pro" }, noon),
      storage.removeKey(key.id),
      storage.listKeys(),
      limits.admit(key.id, free, atNoon),
      storage.addAll([rex]),
    ];
    for (const one of await Promise.allSettled(asked))
      expect(one).toMatchObject({ reason: { problem: "unavailable" } });
    expect(await sql(url, waiting)).toEqual([]);
    await unlock();
    expect(await storage.isEmpty()).toBe(true);
    expect(await storage.listKeys()).toMatchObject([{ id: key.id, plan: "free" }]);
  });

  it.each<readonly [string, StorageProblem, (data: StoreData) => Promise<unknown>]>([
    ["an animal is added", "unanswered", ({ storage }) => storage.add(rex)],
    ["a key is removed", "unanswered", ({ storage }) => storage.removeKey(key.id)],
    // The request is not carried out without them.
    ["limits are decided", "unavailable", ({ limits }) => limits.admit(key.id, free, atNoon)],
    ["animals are listed", "unavailable", ({ storage }) => storage.isEmpty()],
  ])(
    "tells what may have been done if its connection ends while %s",
    async (_what, problem, ask) => {
      const url = await server.createDatabase();
      const data = await open(url);
      await data.storage.putKey(key, noon);
      await lockTables(url);
      const end = `PERFORM pg_terminate_backend(pid) FROM (${waiting}) AS waiting`;
      const again = "PERFORM pg_stat_clear_snapshot(), pg_sleep(0.01)";
      const ended = sql(url, `DO $$BEGIN LOOP ${end}; EXIT WHEN found; ${again}; END LOOP; END$$`);
      await expect(ask(data)).rejects.toMatchObject({ problem });
      await ended;
    },
  );

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
