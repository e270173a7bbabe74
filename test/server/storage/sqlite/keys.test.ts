import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { keyRecord } from "../../../../src/server/keys.ts";
import { memoryStorage } from "../../../../src/server/storage/sqlite/index.ts";
import { fileStorage, runSql } from "../../../support/databases/data-file.ts";
import { temporaryFolder } from "../../../support/program/program.ts";

describe("keys in a data file", () => {
  it("are listed, and can be removed", async () => {
    const storage = fileStorage(path.join(temporaryFolder(), "store.db"));
    const [one, other] = [keyRecord("one", "free"), keyRecord("other", "pro", true)];
    await storage.putKey(one, 2);
    await storage.putKey(other, 1);
    expect(await storage.listKeys()).toEqual([
      { id: other.id, plan: "pro", isOperator: true, createdAt: 1 },
      { id: one.id, plan: "free", isOperator: false, createdAt: 2 },
    ]);
    expect(await storage.removeKey(other.id)).toBe(true);
    expect(await storage.removeKey(other.id)).toBe(false);
    expect(await storage.findKey(other.id)).toBeUndefined();
    expect(await storage.listKeys()).toHaveLength(1);
    await storage.close();
  });

  it("stay the operator's with another plan", async () => {
    const storage = memoryStorage();
    const { id } = keyRecord("k", "");
    await storage.putKey(keyRecord("k", "free"), 0);
    expect(await storage.findKey(id)).toMatchObject({ isOperator: false });
    await storage.putKey(keyRecord("k", "free", true), 0);
    await storage.putKey(keyRecord("k", "pro"), 0);
    expect(await storage.findKey(id)).toMatchObject({ plan: "pro", isOperator: true });
  });

  it("follow what another program writes while the file is open", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    const storage = fileStorage(file);
    const key = keyRecord("k", "free");
    await storage.putKey(key, 0);
    expect(await storage.findKey(key.id)).toBeDefined();
    await new Promise(setImmediate);
    runSql(file, "UPDATE keys SET plan = 'pro'");
    expect(await storage.findKey(key.id)).toMatchObject({ plan: "pro" });
    await new Promise(setImmediate);
    runSql(file, "DELETE FROM keys");
    expect(await storage.findKey(key.id)).toBeUndefined();
    await storage.close();
  });

  it("are stored only as hashes", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    const storage = fileStorage(file);
    await storage.putKey(keyRecord("pets_secretsecretsecret", "free"), 0);
    await storage.close();
    expect(readFileSync(file).includes("secretsecret")).toBe(false);
  });
});
