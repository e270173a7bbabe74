import path from "node:path";
import { describe, expect, it } from "vitest";
import { keyRecord } from "../../../src/server/keys.ts";
import { totalOf } from "../../../src/server/storage/storage.ts";
import { runSql } from "../../support/databases/data-file.ts";
import { open, planNamed } from "../../support/databases/postgres-data.ts";
import { postgresAvailable, usePostgres } from "../../support/databases/postgres.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { momentsAt } from "../../support/servers/exchange.ts";

const rex = { name: "Rex", categoryId: 1n };
const noon = Date.UTC(2026, 10, 5, 12);
const [one, other] = [keyRecord("one", "3/min,5/day"), keyRecord("other", "pro", true)];

/** Shows that a place stores keys and animals, whichever database it is. */
function storesAll(newPlace: () => string | Promise<string>): void {
  it("lists, changes and removes keys, for good; which are operators' does not change", async () => {
    const { storage } = await open(await newPlace());
    expect(await storage.findKey(one.id)).toBeUndefined();
    await storage.putKey(one, noon + 1);
    await storage.putKey(other, noon);
    expect(Buffer.from((await storage.findKey(one.id))?.hash ?? [])).toEqual(one.hash);
    expect(await storage.findKey(other.id)).toMatchObject({ plan: "pro", isOperator: true });
    await storage.putKey({ ...other, plan: "free", isOperator: false }, noon);
    expect(await storage.findKey(other.id)).toMatchObject({ plan: "free", isOperator: true });
    await storage.putKey({ ...one, isOperator: true }, noon + 2);
    const listed = [
      { id: other.id, plan: "free", isOperator: true, createdAt: noon },
      { id: one.id, plan: one.plan, isOperator: false, createdAt: noon + 1 },
    ];
    expect(await storage.listKeys()).toEqual(listed);
    expect(await storage.isRevoked(one.id)).toBe(false);
    expect(await storage.removeKey(one.id)).toBe(true);
    await storage.putKey(one, noon);
    expect(await storage.removeKey(one.id)).toBe(false);
    expect(await storage.findKey(one.id)).toBeUndefined();
    expect(await storage.listKeys()).toEqual(listed.slice(0, 1));
    expect(await Promise.all([one.id, other.id, "00"].map((id) => storage.isRevoked(id)))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("returns animals unchanged under ids from 1, newest first and counted by status", async () => {
    const place = await newPlace();
    const { storage } = await open(place);
    const list = async (limit = 100, status?: "sold" | "pending"): Promise<string> =>
      Buffer.from(await storage.list({ limit, status })).toString();
    expect([await storage.isEmpty(), await list()]).toEqual([true, "[]"]);
    const name = "O'\"Neil\\ \u2028 🐾 花子 $1 {a,NULL}";
    const odd = await storage.add({ name, categoryId: -(2n ** 63n), status: "sold" });
    expect(odd).toBe(
      `{"id":1,"name":${JSON.stringify(name)},"categoryId":-9223372036854775808,"status":"sold"}`,
    );
    const plain = await storage.add(rex);
    expect(plain).toBe('{"id":2,"name":"Rex","categoryId":1}');
    expect([await list(), await list(1)]).toEqual([`[${plain},${odd}]`, `[${plain}]`]);
    expect([await list(100, "sold"), await list(100, "pending")]).toEqual([`[${odd}]`, "[]"]);
    expect([await storage.get(1n), await storage.get(2n ** 63n - 1n)]).toEqual([odd, undefined]);
    await storage.add(rex);
    const counts = await storage.countByStatus();
    expect([counts.size, counts.get("sold"), counts.get(undefined)]).toEqual([2, 1, 2]);
    expect([totalOf(counts), await storage.isEmpty()]).toEqual([3, false]);
  });
}

const newFile = (): string => path.join(temporaryFolder(), "store.db");

describe("a data file", () => {
  storesAll(newFile);

  it("follows what another program writes while it is open", async () => {
    const file = newFile();
    const { storage } = await open(file);
    await storage.putKey(one, noon);
    expect(await storage.findKey(one.id)).toBeDefined();
    await new Promise(setImmediate);
    runSql(file, "UPDATE keys SET plan = 'pro'");
    expect(await storage.findKey(one.id)).toMatchObject({ plan: "pro" });
    await new Promise(setImmediate);
    runSql(file, "DELETE FROM keys");
    expect(await storage.findKey(one.id)).toBeUndefined();
  });
});

describe.skipIf(!postgresAvailable)("PostgreSQL", () => {
  const server = usePostgres();

  storesAll(() => server.createDatabase());

  it("applies what one store changes or removes to all at once", async () => {
    const url = await server.createDatabase();
    const [first, second] = await Promise.all([open(url), open(url)]);
    const ask = () => second.limits.admit(one.id, planNamed(one.plan), momentsAt(noon));
    await first.storage.putKey(one, noon);
    expect(await second.storage.findKey(one.id)).toEqual(one);
    await first.storage.putKey({ ...one, plan: "7/min,9/day" }, noon);
    expect(await ask()).toMatchObject({ window: { limit: 7 } });
    await first.storage.removeKey(one.id);
    expect(await second.storage.readKey(one.id)).toBeUndefined();
    await expect(ask()).rejects.toMatchObject({ status: 401 });
    expect(await second.storage.findKey(one.id)).toBeUndefined();
  });
});
