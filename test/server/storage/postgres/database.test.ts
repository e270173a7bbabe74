import { connect, createServer, type Socket } from "node:net";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openStorage } from "../../../../src/server/storage/open.ts";
import { openDatabase } from "../../../../src/server/storage/postgres/database.ts";
import { StorageError, toStartFailure } from "../../../../src/server/storage/storage.ts";
import { open, useAtOnce } from "../../../support/databases/postgres-data.ts";
import { postgresAvailable, sql, usePostgres } from "../../../support/databases/postgres.ts";
import { listen } from "../../../support/servers/free-port.ts";

/** Starts a proxy before the server of `url` that can make all its current connections silent. */
async function startProxy(url: string) {
  const pairs = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = connect(Number(new URL(url).port), "127.0.0.1");
    for (const socket of [near, far]) pairs.add(socket.on("error", () => {}));
    near.pipe(far).pipe(near);
  });
  onTestFinished(() => {
    proxy.close();
    for (const socket of pairs) socket.destroy();
  });
  const port = await listen(proxy);
  // Time-outs come when a test says so, however busy the machine is.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const dropAll = (): void => {
    for (const socket of pairs) socket.unpipe().pause();
  };
  return { proxied: url.replace(/:\d+/, `:${port}`), dropAll };
}

/** Returns how `request` fails if no response comes. */
async function withoutResponse(request: Promise<unknown>): Promise<unknown> {
  const failed = request.then(String, (error: unknown) => error);
  await vi.advanceTimersByTimeAsync(8_000);
  return failed;
}

const rex = { name: "Rex", categoryId: 1n };

describe.skipIf(!postgresAvailable)("connections to PostgreSQL", () => {
  const server = usePostgres();

  it.each([
    ["a serialization failure", "40001", "unavailable"],
    ["too many connections", "53300", "unavailable"],
    ["a statement that took too long", "57014", "unavailable"],
    ["a read-only standby", "25006", "unavailable"],
    ["a violated check", "23514", "refused"],
    ["a missing right", "42501", "refused"],
    ["a server that shuts down", "57P01", "unanswered", "; the change may have been made"],
    ["an internal error", "XX000", "unanswered", "; the change may have been made"],
  ])("tell what may have been done: %s", async (_what, code, problem, end = "") => {
    const url = await server.createDatabase();
    const database = await openDatabase(url);
    onTestFinished(database.close);
    const failed = database.run(`DO $$BEGIN RAISE 'no' USING ERRCODE = '${code}'; END$$`);
    const message = `the database ${url} cannot be used: no${end}`;
    await expect(failed).rejects.toMatchObject({ message, problem });
    await expect(failed).rejects.toBeInstanceOf(StorageError);
  });

  it("cost one request, not one each, if the network dropped them silently", async () => {
    const { proxied, dropAll } = await startProxy(await server.createDatabase());
    const database = await openDatabase(proxied);
    onTestFinished(database.close);
    await useAtOnce(database, 4);
    dropAll();
    expect(await withoutResponse(database.run("SELECT 1"))).toMatchObject({
      message: expect.stringContaining("timeout"),
      // Nothing is done by a query.
      problem: "unavailable",
    });
    expect(await database.run("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  it("leave open whether an animal was added if no answer comes", async () => {
    const url = await server.createDatabase();
    const { proxied, dropAll } = await startProxy(url);
    const { storage } = await open(proxied);
    dropAll();
    expect(await withoutResponse(storage.add(rex))).toMatchObject({ problem: "unanswered" });
    await sql(url, "ALTER TABLE pets_store.pets ADD CHECK (json NOT LIKE '%Rex%')");
    await expect(storage.add(rex)).rejects.toMatchObject({ problem: "refused" });
  });

  it("are waited for if the server has none left", async () => {
    const url = await server.createDatabase();
    const few = "ROLE few LOGIN CONNECTION LIMIT 2; CREATE SCHEMA pets_store AUTHORIZATION few";
    await sql(url, `CREATE ${few}`);
    const { storage } = await open(url.replace("postgres@", "few@"));
    const looks = await Promise.all(Array.from({ length: 40 }, () => storage.isEmpty()));
    expect(looks).not.toContain(false);
  });

  it("may be made through the directory of a socket", async () => {
    const { pathname } = new URL(await server.createDatabase());
    const url = `postgres://postgres@${pathname}?host=${server.folder}&port=${server.port}`;
    const { storage } = await open(url);
    expect(storage.place).toBe(url);
    expect(await storage.add(rex)).toContain('"id":1,');
  });

  it("may be a pooler's, on which prepared statements disappear", async () => {
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

it.each([
  ["no database there", "postgres://u:s3cret@127.0.0.1:1/shop", "io", "127.0.0.1:1"],
  ["no such host", "postgres://u:s3cret@nowhere.invalid/shop", "io", "nowhere.invalid:5432"],
  ["a socket that is not there", "postgres://u:s3cret@/shop?host=/nowhere", "io", "/nowhere"],
  ["no such file", "postgres://u:s3cret@h/shop?sslrootcert=/no/ca.pem", "io", "/no/ca.pem"],
  ["an invalid port", "postgres://u:s3cret@127.0.0.1:99999/shop", "usage", "URL of --data"],
  ["a broken escape", "postgres://u:s3cret@127.0.0.1/%E0%A4%41", "usage", "URL of --data"],
])("a URL is refused without its password: %s", async (_what, url, kind, message) => {
  const error = await openStorage(url, Date.now).catch(toStartFailure);
  expect(error).toMatchObject({ kind, message: expect.stringContaining(message) });
  expect(inspect(error)).not.toContain("s3cret");
});
