import { mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { keyRecord } from "../../../../src/server/keys.ts";
import { fileStorage } from "../../../support/databases/data-file.ts";
import { temporaryFolder } from "../../../support/program/program.ts";

const rex = { name: "Rex", categoryId: 1n };

describe("fileData", () => {
  it("keeps animals and keys, and continues the ids", async () => {
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

  it("accepts any name", async () => {
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
