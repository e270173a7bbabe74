import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { open } from "../../../support/postgres-data.ts";
import { postgresAvailable, sql, usePostgres } from "../../../support/postgres.ts";

/** A way to `port` on which all connections so far can be made to fall silent. */
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

  it("that the network dropped without a word cost one request, not one each", async () => {
    const url = await server.createDatabase();
    const network = await fragileNetwork(server.port);
    const { storage } = await open(
      `${url.replace(`:${server.port}`, `:${network.port}`)}?query_timeout=300`,
    );
    await Promise.all(Array.from({ length: 8 }, () => storage.isEmpty()));
    network.dropAll();
    await expect(storage.isEmpty()).rejects.toThrow("did not answer in time");
    expect(await storage.isEmpty()).toBe(true);
  });

  it("are waited for where the server gives no more", async () => {
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
