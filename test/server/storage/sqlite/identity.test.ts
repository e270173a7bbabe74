import { copyFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { fileData, memoryStorage } from "../../../../src/server/storage/sqlite/index.ts";
import { temporaryFolder } from "../../../support/program/program.ts";

async function* broken(): AsyncGenerator<never> {
  yield await Promise.reject(new Error("no seed"));
}

describe("the id of a store", () => {
  it("differs for each store in memory, and after a reset", async () => {
    const [one, other] = [memoryStorage(), memoryStorage()];
    const before = one.storeId();
    expect(before).toMatch(/^[0-9a-f]{16}$/);
    expect(other.storeId()).not.toBe(before);
    await one.replaceAll([]);
    expect(one.storeId()).not.toBe(before);
  });

  it("stays the same for a file and its copies, like the secret of its page", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    const first = fileData(file, Date.now);
    const { storeId, pageSecret } = first.storage;
    const [id, secret] = [storeId(), pageSecret()];
    await first.close();
    copyFileSync(file, `${file}.copy`);
    for (const each of [file, `${file}.copy`]) {
      const data = fileData(each, Date.now);
      expect([data.storage.storeId(), data.storage.pageSecret()]).toEqual([id, secret]);
      await data.close();
    }
  });

  it("changes with a reset, for later starts too, unlike the secret", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    const first = fileData(file, Date.now);
    const { storeId, pageSecret } = first.storage;
    const [before, secret] = [storeId(), pageSecret()];
    await first.local?.storage.replaceAll([]);
    const after = storeId();
    expect(after).not.toBe(before);
    await first.close();
    const second = fileData(file, Date.now);
    expect([second.storage.storeId(), second.storage.pageSecret()]).toEqual([after, secret]);
    await second.close();
  });

  it("stays the same if a reset fails", async () => {
    const storage = memoryStorage();
    const before = storage.storeId();
    await expect(storage.replaceAll(broken())).rejects.toThrow("no seed");
    expect(storage.storeId()).toBe(before);
  });
});
