import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { keyRecord } from "../../../../src/server/keys.ts";
import type { PageQuery } from "../../../../src/server/storage/storage.ts";
import { fileData, memoryStorage } from "../../../../src/server/storage/sqlite/index.ts";
import type { Storage } from "../../../../src/server/storage/storage.ts";
import { temporaryFolder } from "../../../support/program.ts";

const rex = { name: "Rex", categoryId: 1n };
const page: PageQuery = { limit: 100, status: undefined };

function fileStorage(file: string): Storage {
  const data = fileData(file, Date.now);
  return { ...data.storage, close: () => data.close() };
}

const listed = async (storage: Storage): Promise<string> =>
  Buffer.from(await storage.list(page)).toString();
const modeOf = (file: string): number => statSync(file).mode & 0o777;

/** Makes a database that this program did not make. */
function foreign(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

/** SQL after which an animal called `name` can't be kept. */
const failing = (name: string, effect: string): string =>
  `CREATE TRIGGER ${name} BEFORE INSERT ON pets WHEN new.json LIKE '%"${name}"%'
   BEGIN SELECT RAISE(${effect}, '${name}'); END;`;

describe("a data file", () => {
  it("keeps animals and keys, and goes on with the ids", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    const first = fileStorage(file);
    const key = keyRecord("k", "free");
    await first.putKey(key, 0);
    await first.add(rex);
    await first.close();
    const second = fileStorage(file);
    expect(await second.findKey(key.id)).toMatchObject({ plan: "free" });
    await second.putKey(keyRecord("k", "pro"), 0);
    expect(await second.findKey(key.id)).toMatchObject({ plan: "pro" });
    expect(await second.add({ ...rex, status: "sold" })).toContain('"id":2,');
    await second.close();
  });

  it("tells of its keys, and forgets one", async () => {
    const storage = fileStorage(path.join(temporaryFolder(), "store.db"));
    const [one, other] = [keyRecord("one", "free"), keyRecord("other", "pro")];
    await storage.putKey(one, 2);
    await storage.putKey(other, 1);
    expect(await storage.listKeys()).toEqual([
      { id: other.id, plan: "pro", createdAt: 1 },
      { id: one.id, plan: "free", createdAt: 2 },
    ]);
    expect(await storage.removeKey(other.id)).toBe(true);
    expect(await storage.removeKey(other.id)).toBe(false);
    expect(await storage.findKey(other.id)).toBeUndefined();
    expect(await storage.listKeys()).toHaveLength(1);
    await storage.close();
  });

  it("goes by what another program writes of keys while it is open", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    const storage = fileStorage(file);
    const key = keyRecord("k", "free");
    await storage.putKey(key, 0);
    expect(await storage.findKey(key.id)).toBeDefined();
    await new Promise(setImmediate);
    foreign(file, "UPDATE keys SET plan = 'pro'");
    expect(await storage.findKey(key.id)).toMatchObject({ plan: "pro" });
    await new Promise(setImmediate);
    foreign(file, "DELETE FROM keys");
    expect(await storage.findKey(key.id)).toBeUndefined();
    await storage.close();
  });

  it("fails a bad row of a group alone, and none where the transaction is lost", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    const storage = fileStorage(file);
    foreign(file, failing("abort", "ABORT") + failing("fatal", "ROLLBACK"));
    const outcomes = async (...names: string[]) => {
      const adds = names.map((name) => storage.add({ name, categoryId: 1n }));
      return (await Promise.allSettled(adds)).map(({ status }) => status === "fulfilled");
    };
    expect(await outcomes("a", "abort", "b")).toEqual([true, false, true]);
    expect(await outcomes("c", "fatal", "d")).toEqual([false, false, false]);
    expect(await outcomes("e")).toEqual([true]);
    const names = JSON.parse(await listed(storage)).map((pet: { id: number; name: string }) => [
      pet.id,
      pet.name,
    ]);
    expect(names).toEqual([
      [3, "e"],
      [2, "b"],
      [1, "a"],
    ]);
    await storage.close();
  });

  it("is refused to a second store also where it was made through a link", async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, "store.db");
    const link = path.join(folder, "link.db");
    symlinkSync("store.db", link);
    const storage = fileStorage(link);
    expect(storage.place).toBe(file);
    for (const name of [file, link]) expect(() => fileStorage(name)).toThrow("in use");
    await storage.close();
  });

  it("is private, and so is what stands beside it", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    writeFileSync(file, "", { mode: 0o644 });
    chmodSync(file, 0o644);
    const storage = fileStorage(file);
    await storage.add(rex);
    for (const name of ["", "-wal", "-shm", ".lock"]) expect(modeOf(file + name)).toBe(0o600);
    await storage.close();
  });

  it("holds no key, only its hash", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    const storage = fileStorage(file);
    await storage.putKey(keyRecord("pets_secretsecretsecret", "free"), 0);
    await storage.close();
    expect(readFileSync(file).includes("secretsecret")).toBe(false);
  });

  it("is refused to a second store, under any name, until the first is closed", async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, "store.db");
    const storage = fileStorage(file);
    symlinkSync(file, path.join(folder, "link.db"));
    symlinkSync(folder, path.join(folder, "here"));
    for (const name of [file, path.join(folder, "link.db"), path.join(folder, "here/store.db")])
      expect(() => fileStorage(name)).toThrow(`the data file ${file} is in use by another store`);
    await storage.close();
    await fileStorage(file).close();
  });

  it.each<readonly [string, (file: string) => void, string]>([
    ["a text", (file) => writeFileSync(file, "hello"), "is no store's data file"],
    ["100 zeros", (file) => writeFileSync(file, Buffer.alloc(100)), "is no store's data file"],
    [
      "another program's database",
      (file) => foreign(file, "CREATE TABLE pets (id)"),
      "is no store's data file",
    ],
    [
      "a later schema",
      (file) => foreign(file, "PRAGMA application_id = 1346720851; PRAGMA user_version = 99"),
      "was made by a newer pets",
    ],
    [
      "a damaged store",
      (file) => {
        foreign(
          file,
          "PRAGMA application_id = 1346720851; PRAGMA user_version = 1; CREATE TABLE pets (id)",
        );
        writeFileSync(file, readFileSync(file).fill(0xff, 100));
      },
      "can't be used",
    ],
  ])("that is %s is refused, and stays as it is", (_what, make, message) => {
    const file = path.join(temporaryFolder(), "data");
    make(file);
    const before = readFileSync(file);
    expect(() => fileStorage(file)).toThrow(message);
    expect(() => fileStorage(file)).toThrow(file);
    expect(readFileSync(file)).toEqual(before);
  });

  it.each(["pets", "keys"])("that lacks the table %s is refused, by name", async (table) => {
    const file = path.join(temporaryFolder(), "store.db");
    await fileStorage(file).close();
    foreign(file, `DROP TABLE ${table}`);
    const start = () => fileStorage(file);
    expect(start).toThrow(`the data file ${file} can't be used: no such table: ${table}`);
    expect(start).not.toThrow("in use");
  });

  it("is refused under a hard link, whose lock would be another", async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, "store.db");
    const storage = fileStorage(file);
    const link = path.join(folder, "link.db");
    linkSync(file, link);
    expect(() => fileStorage(link)).toThrow(
      `the data file ${link} can't be used: it has hard links`,
    );
    await storage.close();
  });

  it("is refused by name of its lock where another program has that", () => {
    const file = path.join(temporaryFolder(), "yarn");
    writeFileSync(`${file}.lock`, "another program's lock\n".repeat(10));
    expect(() => fileStorage(file)).toThrow(`its lock ${file}.lock: file is not a database`);
  });

  it.each<readonly [string, (folder: string) => string]>([
    ["a folder", (folder) => folder],
    ["in a folder that is not there", (folder) => path.join(folder, "no/store.db")],
    [
      "below a file",
      (folder) => {
        writeFileSync(path.join(folder, "file"), "");
        return path.join(folder, "file/store.db");
      },
    ],
  ])("that is %s is refused, by name", (_what, name) => {
    const file = name(temporaryFolder());
    expect(() => fileStorage(file)).toThrow(`the data file ${file} can't be used`);
  });

  it("may have any name", async () => {
    const folder = path.join(temporaryFolder(), "a b");
    mkdirSync(folder);
    for (const name of ["ü?mode=ro#%20'.db", ":memory:"]) {
      const storage = fileStorage(path.join(folder, name));
      await storage.add(rex);
      await storage.close();
      expect(statSync(path.join(folder, name)).size).toBeGreaterThan(0);
    }
  });
});

describe("many animals at once", () => {
  it("wait once for another program that writes, not once each", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    const storage = fileStorage(file);
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    const began = performance.now();
    const adds = ["a", "b", "c", "d"].map((name) => storage.add({ name, categoryId: 1n }));
    for (const { status } of await Promise.allSettled(adds)) expect(status).toBe("rejected");
    expect(performance.now() - began).toBeLessThan(3_000);
    other.exec("ROLLBACK");
    other.close();
    expect(JSON.parse(await storage.add({ name: "e", categoryId: 1n }))).toMatchObject({ id: 1 });
    await storage.close();
  });

  it("are all kept, or none", async () => {
    const storage = memoryStorage();
    function* broken() {
      yield rex;
      throw new Error("row 2");
    }
    await expect(storage.addAll(broken())).rejects.toThrow("row 2");
    expect(await storage.isEmpty()).toBe(true);
    expect(await storage.addAll([rex, rex])).toBe(2);
    expect(await storage.add(rex)).toContain('"id":3,');
    expect(JSON.parse(await listed(storage))).toHaveLength(3);
  });

  it("come with long names, in a page that is not kept in memory", async () => {
    const storage = memoryStorage();
    const name = "x".repeat(60_000);
    await storage.addAll(Array.from({ length: 100 }, () => ({ name, categoryId: 1n })));
    expect((await listed(storage)).length).toBeGreaterThan(6_000_000);
    await storage.add(rex);
    expect(JSON.parse(await listed(storage))[0]).toEqual({ id: 101, name: "Rex", categoryId: 1 });
  });
});
