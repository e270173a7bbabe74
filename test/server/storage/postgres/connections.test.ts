import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStorage } from "../../../../src/server/storage/open.ts";
import { type Database, openDatabase } from "../../../../src/server/storage/postgres/database.ts";
import { pgbouncerAvailable, startPooler } from "../../../support/databases/pgbouncer.ts";
import { useAtOnce } from "../../../support/databases/postgres-data.ts";
import { postgresAvailable, usePostgres } from "../../../support/databases/postgres.ts";

async function openUntilEnd(url: string, connections?: number): Promise<Database> {
  const database = await openDatabase(url, connections);
  onTestFinished(database.close);
  return database;
}

describe.skipIf(!postgresAvailable)("connections to PostgreSQL", () => {
  const server = usePostgres();

  it("are at most as many as asked for", async () => {
    const database = await openUntilEnd(await server.createDatabase(), 3);
    await useAtOnce(database, 3);
    const count = `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'pets'`;
    const counts = await Promise.all(Array.from({ length: 40 }, () => database.run(count)));
    expect(counts.flat().filter((row) => Number(row.count) > 3)).toEqual([]);
  });
});

describe.skipIf(!postgresAvailable || !pgbouncerAvailable)("connections of a pooler", () => {
  const server = usePostgres();
  const pooled = async (settings: Readonly<Record<string, string | number>>): Promise<string> =>
    startPooler(server, await server.createDatabase(), settings);

  it.each([
    ["lets others wait", { pool_mode: "session", default_pool_size: 3 }],
    ["refuses others", { pool_mode: "session", max_client_conn: 3 }],
    ["shares them by transaction", { pool_mode: "transaction", default_pool_size: 3 }],
  ])("are enough, and shared between stores, if it %s", async (_what, settings) => {
    const url = await pooled(settings);
    const [first, second] = [await openUntilEnd(url), await openUntilEnd(url)];
    let extra: Promise<unknown> | undefined;
    await useAtOnce(first, 3, () => (extra = first.run("SELECT 1 AS one")));
    expect(await extra).toEqual([{ one: 1 }]);
    const demand = new AbortController();
    const asking = Array.from({ length: 6 }, async () => {
      while (!demand.signal.aborted) await first.run("SELECT pg_sleep(0.01)");
    });
    const works = () =>
      second.run("SELECT 1").then(
        () => true,
        () => false,
      );
    await expect.poll(works).toBe(true);
    demand.abort();
    await Promise.all(asking);
  });

  it("are waited for by one request after the other if there are none", async () => {
    const url = await pooled({ max_client_conn: 1 });
    const other = new Client({ connectionString: url });
    await other.connect();
    const database = await openUntilEnd(url);
    const refused = { problem: "unavailable", message: expect.stringContaining("max_client_conn") };
    for (const one of await Promise.allSettled([1, 2, 3].map(() => database.run("SELECT 1"))))
      expect(one).toMatchObject({ reason: refused });
    await other.end();
    const asked = await Promise.all([1, 2, 3].map(() => database.run("SELECT 1 AS one")));
    expect(asked.flat()).toEqual([{ one: 1 }, { one: 1 }, { one: 1 }]);
  });

  it("must not be shared by statement, which is reported", async () => {
    await expect(
      openStorage(await pooled({ pool_mode: "statement" }), Date.now),
    ).rejects.toMatchObject({
      message: expect.stringContaining("transaction blocks not allowed"),
      hints: [expect.stringContaining("pool_mode = transaction")],
    });
  });
});
