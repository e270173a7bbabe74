import { expect, it, vi } from "vitest";
import type { ImportDatabase } from "../../../src/imports/database/database.ts";
import {
  beginImport,
  forgetImports,
  importsOfInput,
  listImports,
} from "../../../src/imports/database/import-records.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { newImport, rowsOf, testImport } from "../support/run.ts";

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
  forgetImports(database, listImports(database).slice(0, 2));
  expect(listImports(database).map(({ input }) => input)).toEqual(["a"]);
  expect(entriesIn(database)).toEqual([
    { name: "rows", import: 1, n: 3 },
    { name: "prints", import: 1, n: 3 },
  ]);
});

it.each<[string, (database: ImportDatabase) => void]>([
  ["begun", (database) => beginImport(database, newImport(3, { input: "d" }))],
  ["forgotten", (database) => forgetImports(database, importsOfInput(database, "a"))],
])("is %s whole or not at all", async (_what, change) => {
  const database = await threeImports();
  const before = [listImports(database), entriesIn(database)];
  const run = database.run.bind(database);
  vi.spyOn(database, "run").mockImplementation((statement, ...values) => {
    if (statement.includes("prints")) throw new Error("killed");
    return run(statement, ...values);
  });
  expect(() => change(database)).toThrow("killed");
  expect([listImports(database), entriesIn(database)]).toEqual(before);
});
