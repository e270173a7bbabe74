import { copyFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { keyRecord } from "../../../../src/server/keys.ts";
import { readVersion, schemaVersion } from "../../../../src/server/storage/sqlite/file.ts";
import { fileData, memoryStorage, fileKeys } from "../../../../src/server/storage/sqlite/index.ts";
import { fileStorage, listed, runSql } from "../../../support/databases/data-file.ts";
import { temporaryFolder } from "../../../support/program/program.ts";

describe("the schema of a data file", () => {
  it.each(["pets", "keys"])("is rejected by name without the table %s", async (table) => {
    const file = path.join(temporaryFolder(), "store.db");
    await fileStorage(file).close();
    runSql(file, `DROP TABLE ${table}`);
    const start = () => fileStorage(file);
    expect(start).toThrow(`the data file ${file} cannot be used: no such table: ${table}`);
    expect(start).not.toThrow("in use");
  });

  it("is migrated from the first version, with its animals and keys", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    const { id, hash } = keyRecord("k", "free");
    const hex = Buffer.from(hash).toString("hex");
    runSql(
      file,
      `PRAGMA application_id = 1346720851;
       CREATE TABLE pets (id INTEGER PRIMARY KEY, status TEXT, json TEXT NOT NULL) STRICT;
       CREATE INDEX pets_by_status ON pets (status);
       CREATE TABLE keys (
         id TEXT PRIMARY KEY, hash BLOB NOT NULL, plan TEXT NOT NULL, created_at INTEGER NOT NULL
       ) STRICT, WITHOUT ROWID;
       INSERT INTO pets VALUES (7, NULL, '{"id":7,"name":"Rex","categoryId":1}');
       INSERT INTO keys VALUES ('${id}', x'${hex}', 'free', 1);
       PRAGMA user_version = 1;`,
    );
    const opened = fileKeys(file);
    expect(await opened.listKeys()).toEqual([
      { id, plan: "free", isOperator: false, createdAt: 1 },
    ]);
    await opened.close();
    const storage = fileStorage(file);
    expect(await listed(storage)).toBe('[{"id":7,"name":"Rex","categoryId":1}]');
    expect(await storage.findKey(id)).toMatchObject({ id, plan: "free" });
    expect(await storage.add({ name: "Rex", categoryId: 1n })).toContain('"id":8,');
    await storage.close();
    const database = new DatabaseSync(file);
    expect(readVersion(database)).toBe(schemaVersion);
    database.close();
    await fileStorage(file).close();
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
