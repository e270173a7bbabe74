import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStorage } from "../../../../src/server/storage/open.ts";
import { DatabaseRefusal } from "../../../../src/server/storage/postgres/errors.ts";
import { open } from "../../../support/databases/postgres-data.ts";
import { postgresAvailable, sql, usePostgres } from "../../../support/databases/postgres.ts";

/** Starts a proxy to `port` that can make all its current connections silent. */
async function fragileNetwork(port: number) {
  const pairs = new Set<Socket>();
  const way = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const socket of [near, far]) pairs.add(socket.on("error", () => {}));
    near.pipe(far).pipe(near);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    way.close();
    for (const socket of pairs) socket.destroy();
  });
  await once(way, "listening");
  const address = way.address();
  const dropAll = (): void => {
    for (const socket of pairs) socket.unpipe().pause();
  };
  return { port: typeof address === "object" && address?.port, dropAll };
}

const rex = { name: "Rex", categoryId: 1n };

describe.skipIf(!postgresAvailable)("connections to PostgreSQL", () => {
  const server = usePostgres();

  it("cost one request, not one each, if the network dropped them silently", async () => {
    const url = await server.createDatabase();
    const network = await fragileNetwork(server.port);
    const { storage } = await open(
      `${url.replace(`:${server.port}`, `:${network.port}`)}?query_timeout=300`,
    );
    await Promise.all(Array.from({ length: 8 }, () => storage.isEmpty()));
    network.dropAll();
    await expect(storage.isEmpty()).rejects.toThrow("timeout");
    expect(await storage.isEmpty()).toBe(true);
  });

  it("leave open whether an animal was added if no answer comes", async () => {
    const url = await server.createDatabase();
    const network = await fragileNetwork(server.port);
    const { storage } = await open(
      `${url.replace(`:${server.port}`, `:${network.port}`)}?query_timeout=300`,
    );
    network.dropAll();
    await expect(storage.add(rex)).rejects.toMatchObject({ isUnanswered: true });
    await sql(url, "ALTER TABLE pets_store.pets ADD CHECK (json NOT LIKE '%Rex%')");
    const refused = storage.add(rex);
    await expect(refused).rejects.toBeInstanceOf(DatabaseRefusal);
  });

  it("are waited for if the server has none left", async () => {
    const url = await server.createDatabase();
    await sql(
      url,
      "CREATE ROLE few LOGIN CONNECTION LIMIT 2; CREATE SCHEMA pets_store AUTHORIZATION few",
    );
    const { storage } = await open(url.replace("postgres@", "few@"));
    const looks = await Promise.all(Array.from({ length: 40 }, () => storage.isEmpty()));
    expect(looks).toEqual(Array.from({ length: 40 }, () => true));
  });

  it("may be made through the directory of a socket", async () => {
    const { pathname } = new URL(await server.createDatabase());
    const { folder, port } = server;
    const data = await open(`postgres://postgres@${pathname}?host=${folder}&port=${port}`);
    expect(data.storage.place).toBe(`postgres://postgres@${pathname}?host=${folder}&port=${port}`);
    expect(await data.storage.add(rex)).toContain('"id":1,');
  });

  it("never show a password", async () => {
    const url = await server.createDatabase();
    const data = await open(url.replace("postgres@", "postgres:s3cret@"));
    expect(data.storage.place).toBe(url);
    await expect(
      openStorage(url.replace("postgres@", "nobody-here:s3cret@"), Date.now),
    ).rejects.toMatchObject({ message: expect.not.stringContaining("s3cret") });
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
