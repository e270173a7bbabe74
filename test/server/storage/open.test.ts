import path from "node:path";
import { expect, it } from "vitest";
import { isDatabaseUrl, openKeys, openStorage } from "../../../src/server/storage/open.ts";
import { temporaryFolder } from "../../support/program/program.ts";

it.each([
  ["postgres://u@h/d", true],
  ["PostgreSQL://h", true],
  ["postgres:file", false],
  ["./postgres://x", false],
  ["store.db", false],
])("takes %s for a database: %s", (place, expected) => {
  expect(isDatabaseUrl(place)).toBe(expected);
});

it("creates no store in a file for its keys", async () => {
  const file = path.join(temporaryFolder(), "store.db");
  await expect(openKeys(file)).rejects.toThrow(`no store in ${file}`);
  await (await openStorage(file, Date.now)).storage.close();
  const keys = await openKeys(file);
  expect(await keys.listKeys()).toEqual([]);
  await keys.close();
});
