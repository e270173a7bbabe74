import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { NewPet } from "../../../../src/core/pet.ts";
import { openKeys, openStorage } from "../../../../src/server/storage/open.ts";
import type { StoreData } from "../../../../src/server/storage/storage.ts";
import { keyRecord } from "../../../../src/server/keys.ts";
import { memoryLedger } from "../../../../src/server/rate-limits/usage-ledger.ts";
import { samplePets } from "../../../../src/server/seed/generate.ts";
import { parsePlan, type Plan } from "../../../../src/server/rate-limits/plans.ts";
import { postgresAvailable, sql, usePostgres } from "../../../support/postgres.ts";

const rex = { name: "Rex", categoryId: 1n };
const key = keyRecord("some key", "3/min,5/day");
const noon = Date.UTC(2026, 10, 5, 12);

const planNamed = (name: string): Plan => {
  const plan = parsePlan(name);
  if (plan === undefined) throw new Error(`no plan: ${name}`);
  return plan;
};

/** Opens the data at `url`; it is closed when the test ends. */
async function open(url: string, now: () => number = Date.now): Promise<StoreData> {
  const data = await openStorage(url, now);
  onTestFinished(() => data.close());
  return data;
}

const listed = async ({ storage }: StoreData, limit = 100, status?: "sold"): Promise<string> =>
  Buffer.from(await storage.list({ limit, status })).toString();

function* brokenSeed(): Generator<NewPet> {
  yield* samplePets(2_500);
  throw new Error("no more");
}

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

const encoding = (name: string): string => `ENCODING '${name}' TEMPLATE template0`;

/** One of three. */
const pick = (stores: readonly [StoreData, StoreData, StoreData], place: number): StoreData =>
  stores[place % 3] ?? stores[0];

const idsOf = (texts: readonly string[]): number[] => texts.map((text) => JSON.parse(text).id);

describe.skipIf(!postgresAvailable)("PostgreSQL", () => {
  const server = usePostgres();

  describe("animals", () => {
    it("have ids from 1, and are listed newest first, as they were sent", async () => {
      const url = await server.createDatabase();
      const data = await open(url);
      const { storage } = data;
      expect([await storage.isEmpty(), await listed(data)]).toEqual([true, "[]"]);
      const name = "O'\"Neil\\ \u2028 🐾 花子 $1 {a,NULL}";
      const odd = await storage.add({ name, categoryId: -(2n ** 63n), status: "sold" });
      expect(odd).toBe(
        `{"id":1,"name":${JSON.stringify(name)},"categoryId":-9223372036854775808,"status":"sold"}`,
      );
      const plain = await storage.add(rex);
      expect(plain).toBe('{"id":2,"name":"Rex","categoryId":1}');
      expect(await listed(data)).toBe(`[${plain},${odd}]`);
      expect(await listed(data, 1)).toBe(`[${plain}]`);
      expect(await listed(data, 100, "sold")).toBe(`[${odd}]`);
      expect(await storage.get(1n)).toBe(odd);
      expect(await storage.get(2n ** 63n - 1n)).toBeUndefined();
      const other = await open(url);
      expect(await other.storage.add(rex)).toContain('{"id":3,');
      expect(await listed(data, 1)).toContain('{"id":3,');
    });

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

    it("that the database refuses do not fail those beside them", async () => {
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

    it("are planted all or none, and once where several stores begin together", async () => {
      const url = await server.createDatabase();
      const stores = await Promise.all([open(url), open(url), open(url)]);
      await expect(stores[0].storage.addAll(brokenSeed())).rejects.toThrow("no more");
      expect(await stores[0].storage.isEmpty()).toBe(true);
      const counts = await Promise.all(
        stores.map(({ storage }) => storage.addAll(samplePets(2_500))),
      );
      expect(counts.toSorted((one, other) => one - other)).toEqual([0, 0, 2_500]);
      const [row] = await sql(url, "SELECT count(*)::int AS count FROM pets_store.pets");
      expect(row).toEqual({ count: 2_500 });
    });

    it("are on disk when they are kept, also where the server is set to wait for nothing", async () => {
      const url = await server.createDatabase();
      await sql(
        url,
        `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`,
      );
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

  describe("keys and limits", () => {
    const plan = planNamed(key.plan);

    it("are shared: a key made, changed or removed by one store is so for all at once", async () => {
      const url = await server.createDatabase();
      const [one, other] = await Promise.all([open(url), open(url)]);
      expect(await other.storage.findKey(key.id)).toBeUndefined();
      await one.storage.putKey(key, noon);
      expect(await other.storage.findKey(key.id)).toMatchObject({ plan: "3/min,5/day" });
      expect(await other.storage.listKeys()).toEqual([
        { id: key.id, plan: "3/min,5/day", createdAt: noon },
      ]);
      await one.storage.putKey(keyRecord("some key", "7/min,9/day"), noon);
      expect(await other.limits.admit(key.id, plan, noon)).toMatchObject({ window: { limit: 7 } });
      expect(await one.storage.removeKey(key.id)).toBe(true);
      expect(await one.storage.removeKey(key.id)).toBe(false);
      await expect(other.limits.admit(key.id, plan, noon)).rejects.toThrow("removed");
      expect(await other.storage.findKey(key.id)).toBeUndefined();
    });

    it("decide as those in memory do, whichever store is asked", async () => {
      const url = await server.createDatabase();
      let moment = noon;
      const now = (): number => moment;
      const stores = await Promise.all([open(url, now), open(url, now)]);
      let number = 0;
      const steps = fc.array(
        fc.record({
          wait: fc.oneof(
            fc.constantFrom(0, 1, 250, 251, 999, 60_000, 600_000),
            fc.integer({ min: 0, max: 90_000_000 }),
          ),
          store: fc.integer({ min: 0, max: 1 }),
        }),
        { maxLength: 25 },
      );
      await fc.assert(
        fc.asyncProperty(steps, async (asked) => {
          number += 1;
          const { id, ...rest } = keyRecord(`key ${number}`, key.plan);
          await stores[0].storage.putKey({ id, ...rest }, noon);
          const memory = memoryLedger();
          moment = noon;
          for (const { wait, store } of asked) {
            moment += wait;
            const decision = await stores[store]?.limits.admit(id, plan, moment);
            expect(decision).toEqual(await memory.admit(id, plan, moment));
          }
        }),
        { numRuns: 60 },
      );
    });

    it("are none of a key whose plan is not known, which fails it alone", async () => {
      const url = await server.createDatabase();
      const { storage, limits } = await open(url);
      const other = keyRecord("other key", "free");
      for (const each of [key, other]) await storage.putKey(each, noon);
      await sql(url, `UPDATE pets_store.keys SET plan = 'gold' WHERE id = '${other.id}'`);
      const asked = [key, other].map(({ id }) => limits.admit(id, plan, noon));
      expect(await Promise.allSettled(asked)).toMatchObject([
        { value: { allowed: true } },
        { reason: { message: expect.stringContaining("is unknown: gold") } },
      ]);
    });

    it("let exactly as many through as the plan says, asked by three stores at once", async () => {
      const url = await server.createDatabase();
      const stores = await Promise.all([open(url), open(url), open(url)]);
      const pro = keyRecord("pro key", "pro");
      await stores[0].storage.putKey(pro, noon);
      const decisions = await Promise.all(
        Array.from({ length: 1_000 }, (_none, place) =>
          pick(stores, place).limits.admit(pro.id, planNamed("pro"), noon + (place % 50)),
        ),
      );
      expect(decisions.filter((decision) => decision.allowed)).toHaveLength(300);
    });

    it("tell of what was last seen while there is no answer", async () => {
      const url = await server.createDatabase();
      const { storage, limits } = await open(url);
      await storage.putKey(key, noon);
      expect(limits.lastWindow?.(key.id, noon)).toBeUndefined();
      const { window } = await limits.admit(key.id, plan, noon);
      expect(limits.lastWindow?.(key.id, noon + 1)).toEqual(window);
    });
  });

  describe("connections", () => {
    it("that the network dropped without a word cost one request, not one each", async () => {
      const url = await server.createDatabase();
      const network = await fragileNetwork(server.port);
      const { storage } = await open(
        `${url.replace(`:${server.port}`, `:${network.port}`)}?query_timeout=300`,
      );
      await Promise.all(Array.from({ length: 8 }, () => storage.isEmpty()));
      network.dropAll();
      await expect(storage.isEmpty()).rejects.toThrow("no answer in time");
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

    it("may be shared out anew for each statement, as poolers do", async () => {
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

  describe("opening a database", () => {
    it("makes the schema once, however many stores begin together", async () => {
      const url = await server.createDatabase();
      const stores = await Promise.all(Array.from({ length: 8 }, () => open(url)));
      const added = await Promise.all(stores.map(({ storage }) => storage.add(rex)));
      expect(idsOf(added).toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    });

    it.each([
      ["a schema of no version", "DELETE FROM pets_store.version", "no store's"],
      ["the schema of a newer program", "UPDATE pets_store.version SET version = 99", "newer pets"],
      [
        "someone else's schema",
        "DROP SCHEMA pets_store CASCADE; CREATE SCHEMA pets_store; CREATE TABLE pets_store.pets (n int)",
        "no store's",
      ],
    ])("refuses %s, and leaves it as it is", async (_what, change, message) => {
      const url = await server.createDatabase();
      await (await openStorage(url, Date.now)).close();
      await sql(url, change);
      const tables = "SELECT relname FROM pg_class WHERE relnamespace = 'pets_store'::regnamespace";
      const before = await sql(url, tables);
      await expect(openStorage(url, Date.now)).rejects.toThrow(message);
      await expect(openKeys(url)).rejects.toThrow(message);
      expect(await sql(url, tables)).toEqual(before);
    });

    it("refuses an encoding that can't hold every name, and takes one that holds bytes", async () => {
      const latin = await server.createDatabase(encoding("LATIN1"));
      await expect(openStorage(latin, Date.now)).rejects.toThrow("LATIN1");
      const { storage } = await open(await server.createDatabase(encoding("SQL_ASCII")));
      const kept = await storage.add({ name: "花子 🐾", categoryId: 1n });
      expect(await storage.get(1n)).toBe(kept);
    });

    it("needs no right but to use a schema that was made for it", async () => {
      const url = await server.createDatabase();
      await sql(
        url,
        `CREATE ROLE shopkeeper LOGIN; CREATE SCHEMA pets_store AUTHORIZATION shopkeeper`,
      );
      const { storage } = await open(url.replace("postgres@", "shopkeeper@"));
      expect(await storage.add(rex)).toContain('"id":1,');
      await sql(url, "CREATE ROLE visitor LOGIN");
      await expect(
        openStorage(url.replace("postgres@", "visitor@"), Date.now),
      ).rejects.toMatchObject({
        exitCode: 1,
        message: expect.stringMatching(/127\.0\.0\.1:\d+.*permission denied/),
      });
    });

    it("takes a socket's folder", async () => {
      const { pathname } = new URL(await server.createDatabase());
      const { folder, port } = server;
      const data = await open(`postgres://postgres@${pathname}?host=${folder}&port=${port}`);
      expect(data.storage.place).toBe(
        `postgres://postgres@${pathname}?host=${folder}&port=${port}`,
      );
      expect(await data.storage.add(rex)).toContain('"id":1,');
    });

    it("never shows a password", async () => {
      const url = await server.createDatabase();
      const data = await open(url.replace("postgres@", "postgres:s3cret@"));
      expect(data.storage.place).toBe(url);
      await expect(
        openStorage(url.replace("postgres@", "nobody-here:s3cret@"), Date.now),
      ).rejects.toMatchObject({ message: expect.not.stringContaining("s3cret") });
    });
  });
});
