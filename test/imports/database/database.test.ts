import { mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { ImportDatabase } from "../../../src/imports/database/database.ts";
import { beginImport } from "../../../src/imports/database/import-records.ts";
import { failureOf } from "../../support/command/failure.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { newImport, rowsOf, stageRows } from "../support/run.ts";

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

function overwrite(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes.fill(0x5a, at, at + 4096);
  writeFileSync(file, bytes);
}

it.each<[string, (file: string) => void]>([
  ["empty", (file) => writeFileSync(file, "")],
  ["another file", (file) => writeFileSync(file, "names\n".repeat(1000))],
  ["cut off", (file) => truncateSync(file, 12_288)],
  ["overwritten in the middle", (file) => overwrite(file, 8192)],
  ["overwritten at its start", (file) => overwrite(file, 0)],
])("is refused if it is %s, and left as it is", async (_what, damage) => {
  const folder = temporaryFolder();
  const file = path.join(folder, "imports.db");
  const database = new ImportDatabase(folder, "write");
  stageRows(database, rowsOf(200));
  await beginImport(database, newImport(200));
  database.close();
  damage(file);
  const before = readFileSync(file);
  for (const access of ["read", "write"] as const)
    expect(failureOf(() => new ImportDatabase(folder, access))).toMatchObject({
      kind: "usage",
      message: expect.stringContaining(file),
    });
  expect(readFileSync(file).equals(before)).toBe(true);
});
