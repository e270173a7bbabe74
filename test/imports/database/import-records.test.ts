import { expect, it, onTestFinished, vi } from "vitest";
import { openStage } from "../../../src/imports/database/compare.ts";
import { ImportDatabase } from "../../../src/imports/database/database.ts";
import {
  beginImport,
  forgetImports,
  importsOfInput,
  listImports,
  readyImport,
} from "../../../src/imports/database/import-records.ts";
import { RowRecorder } from "../../../src/imports/database/rows.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { instantClock, newImport, rowsOf } from "../support/run.ts";

/** Records finished imports of these inputs, of three rows each. */
async function recordOf(...inputs: readonly string[]) {
  const database = new ImportDatabase(temporaryFolder(), "write");
  onTestFinished(() => database.close());
  const stage = openStage(database);
  const rows = rowsOf(3);
  stage.add(rows);
  stage.end();
  for (const input of inputs) {
    const begun = beginImport(database, newImport(3, { input }));
    const record = readyImport(database, begun, { isAgain: false });
    const recorder = new RowRecorder(database, record, instantClock, () => ({}));
    const changes = rows.map((row) => ({ row, from: "unsent", to: "added" }) as const);
    await Promise.all(changes.map((change) => recorder.recordChange(change)));
  }
  return database;
}

/** Returns how many entries each table has of each import. */
const entriesIn = (database: ImportDatabase) =>
  database.all<{ name: string; import: number; n: number }>(
    ["rows", "prints"]
      .map((name) => `SELECT '${name}' AS name, import, count(*) AS n FROM ${name} GROUP BY import`)
      .join(" UNION ALL "),
  );

it("forgets imports with all of their rows, and no other", async () => {
  const database = await recordOf("a", "b", "c");
  forgetImports(database, listImports(database).slice(0, 2));
  expect(listImports(database).map(({ input }) => input)).toEqual(["a"]);
  expect(entriesIn(database)).toEqual([
    { name: "rows", import: 1, n: 3 },
    { name: "prints", import: 1, n: 3 },
  ]);
});

it.each<[string, (database: ImportDatabase) => void]>([
  ["begun", (database) => beginImport(database, newImport(3, { input: "c" }))],
  ["forgotten", (database) => forgetImports(database, importsOfInput(database, "a"))],
])("is %s whole or not at all", async (_what, change) => {
  const database = await recordOf("a", "b");
  const before = [listImports(database), entriesIn(database)];
  const run = database.run.bind(database);
  vi.spyOn(database, "run").mockImplementation((statement, ...values) => {
    if (statement.includes("prints")) throw new Error("killed");
    return run(statement, ...values);
  });
  expect(() => change(database)).toThrow("killed");
  expect([listImports(database), entriesIn(database)]).toEqual(before);
});
