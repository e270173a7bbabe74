import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
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
    await expect(storage.isEmpty()).rejects.toThrow("did not respond in time");
    expect(await storage.isEmpty()).toBe(true);
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
});
