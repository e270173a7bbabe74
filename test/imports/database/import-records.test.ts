import path from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { ImportDatabase } from "../../../src/imports/database/database.ts";
import {
  beginImport,
  listImports,
  removeImports,
  stepRows,
  unreadyImports,
} from "../../../src/imports/database/import-records.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { newImport, rowsOf, stageRows, startedImport, testImport } from "../support/run.ts";

/** Records finished imports of the inputs a, b and c, of three rows each. */
async function threeImports(): Promise<ImportDatabase> {
  const folder = temporaryFolder();
  const begin = (input: string) =>
    testImport(rowsOf(3), { 0: "added", 1: "added", 2: "added" }, { folder, input });
  await begin("a");
  await begin("b");
  return (await begin("c")).database;
}

/** Returns how many entries each table has of each import. */
const entriesIn = (database: ImportDatabase) =>
  database.all<{ name: string; import: number; n: number }>(
    ["rows", "prints"]
      .map((name) => `SELECT '${name}' AS name, import, count(*) AS n FROM ${name} GROUP BY import`)
      .join(" UNION ALL "),
  );

it("forgets imports with all of their rows, and no other", async () => {
  const database = await threeImports();
  await removeImports(database, [3, 2]);
  expect(listImports(database).map(({ input }) => input)).toEqual(["a"]);
  expect(entriesIn(database)).toEqual([
    { name: "rows", import: 1, n: 3 },
    { name: "prints", import: 1, n: 3 },
  ]);
});

it.each<[string, (database: ImportDatabase) => Promise<unknown>, string[]]>([
  ["begun", (database) => beginImport(database, newImport({ input: "d" })), ["c", "b", "a"]],
  ["forgotten", (database) => removeImports(database, [2]), ["c", "a"]],
])("where one is %s by a killed process, no part of it counts", async (_what, change, left) => {
  const database = await threeImports();
  const run = database.run.bind(database);
  vi.spyOn(database, "run").mockImplementation((statement, ...values) => {
    if (statement.includes("prints")) throw new Error("killed");
    return run(statement, ...values);
  });
  await expect(change(database)).rejects.toThrow("killed");
  vi.restoreAllMocks();
  expect(listImports(database).map(({ input }) => input)).toEqual(left);
  await removeImports(
    database,
    unreadyImports(database).map(({ id }) => id),
  );
  expect(entriesIn(database).filter(({ name }) => name === "rows")).toHaveLength(left.length);
});

it("inserts and removes rows in steps between which other imports record theirs", async () => {
  const folder = temporaryFolder();
  const other = new ImportDatabase(folder, "write");
  onTestFinished(() => other.close());
  stageRows(other, rowsOf(1));
  let pauses = 0;
  const waits = {
    sleep: async () => {
      pauses += 1;
      await startedImport(other, newImport({ input: `other ${pauses}` }));
    },
    note() {},
  };
  const database = new ImportDatabase(folder, "write", waits);
  onTestFinished(() => database.close());
  const equal = rowsOf(stepRows).map((row) =>
    Object.assign(row, { pet: { name: "a", categoryId: 1n } }),
  );
  stageRows(database, [...equal, ...rowsOf(stepRows + 1)]);
  const { id } = await startedImport(database, newImport());
  expect(pauses).toBe(4);
  expect(
    entriesIn(database)
      .filter((each) => each.import === id)
      .map(({ n }) => n),
  ).toEqual([2 * stepRows + 1, 2 * stepRows + 1]);
  await removeImports(database, [id]);
  expect(listImports(database)).toHaveLength(pauses);
});

it("waits while another process writes, says so once, and ends when the wait is ended", async () => {
  const folder = temporaryFolder();
  const other = new ImportDatabase(folder, "write");
  onTestFinished(() => other.close());
  const notes: string[] = [];
  let sleeps = 0;
  const sleep = async (): Promise<void> => {
    sleeps += 1;
    if (sleeps === 80) throw new Error("stopped");
  };
  const database = new ImportDatabase(folder, "write", { sleep, note: (line) => notes.push(line) });
  onTestFinished(() => database.close());
  stageRows(other, rowsOf(1));
  await beginImport(other, newImport({ name: "old.csv" }));
  other.exec("BEGIN IMMEDIATE");
  await expect(database.transact(() => 1)).rejects.toThrow("stopped");
  expect(notes).toEqual([
    `Waiting for another import (old.csv), which writes to ${path.join(folder, "imports.db")}.`,
  ]);
  other.exec("COMMIT");
  expect(await database.transact(() => 2)).toBe(2);
});
