import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { keyRecord } from "../../../../src/server/keys.ts";
import { sqliteError } from "../../../../src/server/storage/sqlite/database.ts";
import { fileData, fileKeys, memoryStorage } from "../../../../src/server/storage/sqlite/index.ts";
import { fileStorage, listed, runSql } from "../../../support/databases/data-file.ts";
import { temporaryFolder } from "../../../support/program/program.ts";
import { mounted, smallDisk } from "../../../support/program/small-disk.ts";

const modeOf = (file: string): number => statSync(file).mode & 0o777;
/** SQL that marks a file as ours; what follows is the version of its schema. */
const ours = "PRAGMA application_id = 1346720851; PRAGMA user_version =";

describe("lockDataFile", () => {
  it("makes a private file, and private files next to it", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    writeFileSync(file, "", { mode: 0o644 });
    chmodSync(file, 0o644);
    const storage = fileStorage(file);
    await storage.putKey(keyRecord("pets_secretsecret", "free"), 0);
    expect(readFileSync(`${file}-wal`).includes("secretsecret")).toBe(false);
    for (const name of ["", "-wal", "-shm", ".lock"]) expect(modeOf(file + name)).toBe(0o600);
    await storage.close();
  });

  it.each(["ü?mode=ro#%20'.db", ":memory:"])("accepts the name %s", async (name) => {
    const file = path.join(temporaryFolder(), name);
    await fileStorage(file).close();
    expect(statSync(file).size).toBeGreaterThan(0);
  });

  it("rejects a second store, under any name, until the first is closed", async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, "store.db");
    symlinkSync("store.db", path.join(folder, "link.db"));
    symlinkSync(folder, path.join(folder, "here"));
    const names = ["store.db", "link.db", "here/store.db"].map((each) => path.join(folder, each));
    // Created through a link.
    const storage = fileStorage(path.join(folder, "link.db"));
    expect(storage.place).toBe(file);
    for (const name of names)
      expect(() => fileStorage(name)).toThrow(`the data file ${file} is in use by another store`);
    await storage.close();
    await fileStorage(file).close();
  });

  it("accepts a file whose keys are read or changed at the moment", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    await fileStorage(file).close();
    const keys = fileKeys(file);
    expect(await keys.listKeys()).toEqual([]);
    await fileStorage(file).close();
    await keys.close();
  });

  it.each<readonly [string, (file: string) => void, string]>([
    ["a text", (file) => writeFileSync(file, "hello"), "is not a pets data file"],
    ["100 zeros", (file) => writeFileSync(file, Buffer.alloc(100)), "is not a pets data file"],
    [
      "another program's database",
      (file) => runSql(file, "CREATE TABLE pets (id)"),
      "is not a pets data file",
    ],
    [
      "another program's database, which crashed while it wrote",
      (file) => {
        const database = new DatabaseSync(`${file}.origin`);
        database.exec("PRAGMA cache_size = 1; CREATE TABLE pets (id); BEGIN");
        for (let id = 0; id < 9; id += 1)
          database.exec(`INSERT INTO pets VALUES ('${"x".repeat(4_000)}')`);
        for (const ending of ["", "-journal"])
          copyFileSync(`${file}.origin${ending}`, file + ending);
        database.close();
      },
      "is not a pets data file",
    ],
    ["a later schema", (file) => runSql(file, `${ours} 99`), "was created by a newer pets"],
    ["an earlier schema", (file) => runSql(file, `${ours} 6`), "was created by an older pets"],
    [
      "a damaged store",
      (file) => {
        runSql(file, `${ours} 7; CREATE TABLE pets (id)`);
        writeFileSync(file, readFileSync(file).fill(0xff, 100));
      },
      "cannot be used",
    ],
  ])("rejects a file that is %s, and does not change it", (_what, make, message) => {
    const file = path.join(temporaryFolder(), "data");
    make(file);
    const before = readFileSync(file);
    expect(() => fileStorage(file)).toThrow(message);
    expect(() => fileStorage(file)).toThrow(file);
    expect(readFileSync(file)).toEqual(before);
  });

  it("names the lock if another program holds it", () => {
    const file = path.join(temporaryFolder(), "yarn");
    writeFileSync(`${file}.lock`, "another program's lock\n".repeat(10));
    expect(() => fileStorage(file)).toThrow(
      `the lock ${file}.lock cannot be used: file is not a database`,
    );
  });

  it.each([
    ["a folder", "."],
    ["in a folder that is not there", "no/store.db"],
    ["below a file", "file/store.db"],
    ["a pipe", "pipe"],
    ["a link to a file in a folder that is not there", "link"],
  ])("rejects a name that is %s, and shows it", (_what, name) => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, "file"), "");
    spawnSync("mkfifo", [path.join(folder, "pipe")]);
    symlinkSync("no/store.db", path.join(folder, "link"));
    const file = path.join(folder, name);
    expect(() => fileStorage(file)).toThrow(`the data file ${file} cannot be used`);
  });
});

describe("a data file with another name", () => {
  it("is rejected if it has hard links, and is not changed", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    await fileStorage(file).close();
    linkSync(file, `${file}.link`);
    const before = readFileSync(file);
    for (const name of [file, `${file}.link`])
      for (const open of [fileStorage, fileKeys])
        expect(() => open(name)).toThrow(`the data file ${name} has several names (hard links)`);
    expect(readFileSync(file)).toEqual(before);
    expect(readdirSync(path.dirname(file)).toSorted()).toEqual([
      "store.db",
      "store.db.link",
      "store.db.lock",
    ]);
  });

  it("is rejected if it is a mount point, whatever its name, and told what to mount", async ({
    skip,
  }) => {
    const folder = temporaryFolder();
    const file = path.join(folder, "store.db");
    await fileStorage(file).close();
    const point = path.join(folder, "a b\\\t'c.db");
    writeFileSync(point, "");
    mounted(["--bind", file, point], point, skip);
    expect(() => fileStorage(point)).toThrow(
      expect.objectContaining({
        message: `the data file ${point} is a mount point`,
        hints: [expect.stringContaining("Mount or link its directory instead.")],
      }),
    );
    expect(existsSync(`${point}.lock`)).toBe(false);
  });
});

describe("a data file that cannot be written", () => {
  it("is named with what cannot be written, on a read-only file system", async ({ skip }) => {
    const folder = smallDisk("1m", skip);
    const file = path.join(folder, "store.db");
    await fileStorage(file).close();
    spawnSync("mount", ["-o", "remount,ro", folder]);
    for (const name of ["store.db", "new.db"])
      expect(() => fileStorage(path.join(folder, name))).toThrow(
        `the data file ${folder}/${name} cannot be used: ${folder}: read-only file system`,
      );
  });

  it("is named on a full disk", ({ skip }) => {
    const folder = smallDisk("16k", skip);
    const file = path.join(folder, "store.db");
    expect(() => fileStorage(file)).toThrow(
      `the data file ${file} cannot be used: database or disk is full`,
    );
  });
});

describe("a data file that is gone while it is in use", () => {
  it.each<readonly [string, (file: string) => void]>([
    ["removed", (file) => rmSync(file)],
    ["moved", (file) => renameSync(file, `${file}.moved`)],
    [
      "replaced",
      (file) => {
        copyFileSync(file, `${file}.copy`);
        renameSync(`${file}.copy`, file);
      },
    ],
    ["removed with its folder", (file) => rmSync(path.dirname(file), { recursive: true })],
    ["moved with its folder", (file) => renameSync(path.dirname(file), `${path.dirname(file)}.b`)],
    ["without its WAL", (file) => rmSync(`${file}-wal`)],
  ])("fails for good, and tells its owner once it is %s", async (_what, lose) => {
    const folder = path.join(temporaryFolder(), "data");
    mkdirSync(folder);
    const file = path.join(folder, "store.db");
    const { storage, lost } = fileData(file, Date.now);
    await storage.add({ name: "Rex", categoryId: 1n });
    await listed(storage);
    // Stored in the next turn: after it is gone.
    const added = storage.add({ name: "Bello", categoryId: 1n });
    lose(file);
    await expect(added).rejects.toMatchObject({ problem: "lost" });
    const uses = [
      storage.add({ name: "Luna", categoryId: 1n }),
      listed(storage),
      storage.get(1n),
      storage.isEmpty(),
      storage.countByStatus(),
    ];
    for (const use of await Promise.allSettled(uses))
      expect(use).toMatchObject({ status: "rejected", reason: { problem: "lost" } });
    expect(() => storage.findKey("id")).toThrow("was moved, removed or emptied");
    const message = `the data file ${file} was moved, removed or emptied while the store was running`;
    expect(await lost).toMatchObject({ kind: "io", message });
    await storage.close();
  });

  it("is looked for while nobody asks", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    const { storage, lost } = fileData(file, Date.now);
    rmSync(file);
    expect(await lost).toBeInstanceOf(Error);
    await storage.close();
  });

  it("has all that was added where it was moved to, also for a store that starts at once", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    const first = fileStorage(file);
    const added = await first.add({ name: "Rex", categoryId: 1n });
    renameSync(file, `${file}.moved`);
    expect(() => fileStorage(`${file}.moved`)).toThrow("is in use by another store");
    await first.close();
    const second = fileStorage(`${file}.moved`);
    expect(await listed(second)).toBe(`[${added}]`);
    await second.close();
    // The WAL of the moved one would change a new one.
    expect(await listed(fileStorage(file))).toBe("[]");
  });
});

describe("the schema of a data file", () => {
  it.each(["pets", "keys"])("is rejected by name without the table %s", async (table) => {
    const file = path.join(temporaryFolder(), "store.db");
    await fileStorage(file).close();
    runSql(file, `DROP TABLE ${table}`);
    const start = () => fileStorage(file);
    expect(start).toThrow(`the data file ${file} cannot be used: no such table: ${table}`);
    expect(start).not.toThrow("in use");
  });
});

it("gives each store an id, which a reset changes, and a secret for its page, which stays", async () => {
  const file = path.join(temporaryFolder(), "store.db");
  const first = fileData(file, Date.now);
  const { storeId, pageSecret } = first.storage;
  const [before, secret] = [storeId(), pageSecret()];
  expect(before).toMatch(/^[0-9a-f]{16}$/);
  expect(memoryStorage().storeId()).not.toBe(before);
  first.local?.storage.replaceAll([]);
  const after = storeId();
  expect(after).not.toBe(before);
  await first.storage.close();
  copyFileSync(file, `${file}.copy`);
  for (const each of [file, `${file}.copy`]) {
    const data = fileData(each, Date.now);
    expect([data.storage.storeId(), data.storage.pageSecret()]).toEqual([after, secret]);
    await data.storage.close();
  }
});

describe("an error of SQLite", () => {
  it.each([
    ["a busy database", 5, "unavailable"],
    ["a full disk", 13, "unavailable"],
    ["an extended code of a full disk", 13 + 256, "unavailable"],
    ["an I/O error, after which all may be kept", 10, "refused"],
  ])("says whether it may pass: %s", (_what, errcode, problem) => {
    const error = Object.assign(new Error("no"), { errcode });
    const message = "the data file /a/b.db cannot be used: no";
    expect(sqliteError("/a/b.db", error)).toMatchObject({ message, problem, cause: error });
  });

  it("is no other error", () => {
    const other = new Error("no");
    expect(sqliteError("/a/b.db", other)).toBe(other);
  });
});
