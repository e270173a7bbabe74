import { expect, it, onTestFinished, vi } from "vitest";
import { openStage } from "../../../src/imports/database/compare.ts";
import { ImportDatabase } from "../../../src/imports/database/database.ts";
import {
  beginImport,
  forgetImports,
  importsOfInput,
  listImports,
  readyImport,
  sweepForgotten,
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

/** Forgets an import, and is killed at this step; returns whether there were so many, and checks what is left. */
async function isKilledAt(killedAt: number): Promise<boolean> {
  const database = await recordOf("a", "b");
  const whole = entriesIn(database);
  const gone = whole.filter((entry) => entry.import !== 1);
  const transact = database.transact.bind(database);
  let step = 0;
  const spy = vi.spyOn(database, "transact").mockImplementation((change, isSynced) => {
    if (step === killedAt) throw new Error("killed");
    step += 1;
    return transact(change, isSynced);
  });
  let isKilled = false;
  try {
    forgetImports(database, importsOfInput(database, "a"));
  } catch {
    isKilled = true;
  }
  spy.mockRestore();
  const isThere = importsOfInput(database, "a").length > 0;
  expect(isThere ? entriesIn(database) : whole).toEqual(whole);
  sweepForgotten(database);
  expect(entriesIn(database)).toEqual(isThere ? whole : gone);
  return isKilled;
}

it("leaves an import whole or gone wherever a forget is killed, and sweeps what is left", async () => {
  const last = 1 + 256 + 2;
  for (const killedAt of [0, 1, 2, 100, last - 2, last - 1])
    expect(await isKilledAt(killedAt)).toBe(true);
  expect(await isKilledAt(last)).toBe(false);
});
