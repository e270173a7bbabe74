import path from "node:path";
import { describe, expect, it } from "vitest";
import { isDatabaseUrl, openKeys, openStorage } from "../../../src/server/storage/open.ts";
import { temporaryFolder } from "../../support/program/program.ts";

describe("isDatabaseUrl", () => {
  it.each([
    ["postgres://u@h/d", true],
    ["PostgreSQL://h", true],
    ["postgres:file", false],
    ["./postgres://x", false],
    ["store.db", false],
  ])("%s: %s", (place, expected) => {
    expect(isDatabaseUrl(place)).toBe(expected);
  });
});

describe("openStorage", () => {
  it("opens memory, or the named file", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    for (const [place, shown] of [
      [undefined, "memory"],
      [file, file],
    ]) {
      const data = await openStorage(place, Date.now);
      expect(data.storage.place).toBe(shown);
      expect(data.local).toBeDefined();
      await data.close();
    }
  });

  it("refuses an invalid URL", async () => {
    await expect(openStorage("postgres://h:99999/d", Date.now)).rejects.toMatchObject({
      kind: "usage",
    });
  });
});

describe("openKeys", () => {
  it("creates no store if there is none", async () => {
    const file = path.join(temporaryFolder(), "store.db");
    await expect(openKeys(file)).rejects.toThrow(`no store in ${file}`);
    await (await openStorage(file, Date.now)).close();
    const data = await openKeys(file);
    expect(await data.keys.listKeys()).toEqual([]);
    await data.close();
  });
});
