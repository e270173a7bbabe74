import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { ImportDatabase } from "../../../src/imports/database/database.ts";
import { failureOf } from "../../support/command/failure.ts";
import { temporaryFolder } from "../../support/program/program.ts";

it.each([
  ["nothing is", "", "none"],
  ["an empty directory is", "", "folder"],
  ["a file is", "file", "file"],
  ["a file in its path is", "file", "file/folder"],
])("counts as empty for reading where %s", (_what, file, place) => {
  const root = temporaryFolder();
  mkdirSync(path.join(root, "folder"));
  if (file !== "") writeFileSync(path.join(root, file), "");
  const folder = path.join(root, place);
  const database = new ImportDatabase(folder, "read");
  expect(database.all("SELECT * FROM imports")).toEqual([]);
  database.close();
  if (file === "") return;
  const failure = failureOf(() => new ImportDatabase(folder, "write"));
  expect(failure).toMatchObject({ kind: "io", exitCode: 1 });
});

it("names the variable that helps where it cannot be made", () => {
  const failure = failureOf(() => new ImportDatabase("/proc/none/pets", "write"));
  expect(failure.message).toMatch(/^the record of imports \/proc\/none\/pets\/imports\.db cannot/);
  expect(failure.hints).toContain("To keep it elsewhere, set XDG_STATE_HOME.");
});
