import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ImportDatabase } from "../../../src/imports/database/database.ts";
import {
  beginImport,
  recordedRows,
  stepRows,
} from "../../../src/imports/database/import-records.ts";
import { lockInputs, runningInputs } from "../../../src/imports/run/locks.ts";
import { importPlace, prepareImport, type SendRule } from "../../../src/imports/run/prepare.ts";
import { failureOf } from "../../support/command/failure.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { newImport, recordChanges, rowsOf, stagedDatabase, stageRows } from "../support/run.ts";

/** Opens a record of imports; each `prepare` is a run of an input with so many rows, of which some end as `added`. */
function openRecord() {
  const folder = temporaryFolder();
  const asked: (string | undefined)[] = [];
  const prepare = async (
    input: string,
    count: number,
    { rule = {}, store, adds = 0 }: { rule?: SendRule; store?: string; adds?: number } = {},
  ) => {
    const database = stagedDatabase(rowsOf(count), folder);
    const prepared = await prepareImport(database, newImport(count, { input }), rule, async () => {
      asked.push(store);
      return store;
    });
    const { record } = prepared;
    if (prepared.kind !== "ready" || record === undefined) return prepared;
    const changes = rowsOf(adds).map((row) => ({ row, from: "unsent", to: "added" }) as const);
    await recordChanges(database, record, changes);
    const states = recordedRows(database, record, 0, count).map(({ state }) => state);
    return { ...prepared, states };
  };
  return { folder, asked, prepare };
}

it("begins an import without asking the store where nothing is recorded, and goes on with it", async () => {
  const { asked, prepare } = openRecord();
  expect(await prepare("a", 3, { adds: 1 })).toMatchObject({ kind: "ready", record: { id: 1 } });
  expect(asked).toEqual([]);
  const again = await prepare("a", 3, { store: "store-1" });
  expect(again).toMatchObject({ record: { id: 1, added: 1, unsent: 2, store: "store-1" } });
  expect(asked).toEqual(["store-1"]);
  expect(await prepare("other", 0)).toMatchObject({ record: { id: 2 } });
});

it.each<[string, SendRule, number, object]>([
  ["a finished one", {}, 2, { record: { id: 1 }, isOtherStore: false }],
  ["an unfinished one, with --again", { again: true }, 1, { record: { id: 1, isAgain: 1 } }],
  ["a finished one anew, with --again", { again: true }, 2, { record: { id: 2, unsent: 2 } }],
])("goes on with %s", async (_what, rule, adds, expected) => {
  const { prepare } = openRecord();
  await prepare("a", 2, { adds });
  expect(await prepare("a", 2, { rule })).toMatchObject({ kind: "ready", ...expected });
});

it.each<[string, string | undefined, object]>([
  ["store-1", "store-1", { record: { id: 1, store: "store-1" }, isOtherStore: false }],
  ["store-1", "store-2", { record: { id: 2, store: "store-2" }, isOtherStore: true }],
  ["store-1", undefined, { record: { id: 1, store: "store-1" }, isOtherStore: false }],
])("after an import to %s, %s responds", async (first, second, expected) => {
  const { prepare } = openRecord();
  await prepare("a", 2, { adds: 1 });
  await prepare("a", 2, { store: first });
  const prepared = await prepare("a", 2, second === undefined ? {} : { store: second });
  expect(prepared).toMatchObject(expected);
});

it("keeps what one store got when another one responds", async () => {
  const { prepare } = openRecord();
  await prepare("a", 2, { adds: 1 });
  for (const store of ["store-1", "store-2"]) await prepare("a", 2, { store });
  const back = await prepare("a", 2, { store: "store-1" });
  expect(back).toMatchObject({ record: { id: 1, added: 1 }, isOtherStore: false });
  const anew = await prepare("a", 2, { store: "store-3", rule: { again: true } });
  expect(anew).toMatchObject({ record: { id: 3 }, isOtherStore: false });
});

it.each([1, 2])(
  "goes on with the import that has the store's id, not with %i, which has none",
  async (none) => {
    const { folder, prepare } = openRecord();
    await prepare("a", 2, { adds: 1 });
    for (const store of ["store-1", "store-2"]) await prepare("a", 2, { store });
    stagedDatabase([], folder).run("UPDATE imports SET store = NULL WHERE id = ?", none);
    const own = 3 - none;
    expect(await prepare("a", 2, { store: `store-${own}` })).toMatchObject({ record: { id: own } });
  },
);

it.each<[SendRule, object]>([
  [{}, { kind: "already_added", known: { known: 2, rows: 4 }, record: undefined }],
  [{ onlyNew: true }, { kind: "ready", states: ["known", "known", "unsent", "unsent"] }],
  [{ again: true }, { kind: "ready", known: undefined, record: { unsent: 4 } }],
  [{ checkUnknown: true }, { kind: "never_imported", record: undefined }],
])("compares an input some of which another one added, with %j", async (rule, expected) => {
  const { asked, prepare } = openRecord();
  await prepare("a", 2, { adds: 2 });
  expect(await prepare("b", 4, { rule })).toMatchObject(expected);
  expect(asked).toHaveLength(rule.again || rule.checkUnknown ? 0 : 1);
});

it("refuses an input of which one row is known", async () => {
  const { prepare } = openRecord();
  await prepare("a", 5, { adds: 1 });
  expect(await prepare("b", 6)).toMatchObject({ kind: "already_added", known: { known: 1 } });
  const sentAll = await prepare("b", 6, { rule: { again: true }, adds: 1 });
  expect(sentAll).toMatchObject({ kind: "ready" });
  // What --again decided holds for the rest.
  expect(await prepare("b", 6)).toMatchObject({ kind: "ready", known: undefined });
});

it("compares an input again if another one started meanwhile", async () => {
  const { folder, prepare } = openRecord();
  const sleep = async (): Promise<void> => {
    if (isWaiting) await prepare("b", 2, { adds: 1 });
    isWaiting = false;
  };
  let isWaiting = true;
  const database = new ImportDatabase(folder, "write", { sleep, note() {} });
  onTestFinished(() => database.close());
  stageRows(database, rowsOf(stepRows));
  const prepared = await prepareImport(database, newImport(stepRows), {}, async () => undefined);
  expect(prepared).toMatchObject({ kind: "already_added", known: { known: 1 } });
});

it("removes what a killed process had begun", async () => {
  const { folder, prepare } = openRecord();
  const database = stagedDatabase(rowsOf(3), folder);
  await beginImport(database, newImport(3));
  expect(await prepare("b", 3)).toMatchObject({ kind: "ready", known: undefined });
  expect(database.all("SELECT DISTINCT import FROM rows")).toHaveLength(1);
});

const at = (content: string, url: string) => importPlace(content, new URL(url));

it("tells inputs apart by what they say and by their base URL, whatever the slash at its end", () => {
  const place = at("a", "https://shop.example/v1");
  expect(at("a", "https://shop.example/v1/")).toEqual(place);
  expect(at("b", "https://shop.example/v1").address).toBe(place.address);
  const inputs = [at("b", "https://shop.example/v1"), at("a", "https://shop.example:8443/v1")];
  expect(new Set([place, ...inputs].map(({ input }) => input)).size).toBe(3);
});

const inputOf = (digit: string) => ({ input: digit.repeat(32), name: `${digit}.csv` });
const [a, b, c, d] = ["a", "b", "c", "d"].map(inputOf) as [Input, Input, Input, Input];
type Input = ReturnType<typeof inputOf>;

it("locks several inputs, each once, or none of them", () => {
  const state = temporaryFolder();
  const locks = lockInputs(state, [a, b, a]);
  expect(() => lockInputs(state, [c, b])).toThrow("b.csv is being imported by another process");
  expect(runningInputs(state, c.input)).toEqual([a.input, b.input]);
  locks[Symbol.dispose]();
  const forgetting = lockInputs(state, [c, b], true);
  expect(() => lockInputs(state, [b])).toThrow("b.csv is being forgotten by another process");
  forgetting[Symbol.dispose]();
  expect(readdirSync(path.join(state, "imports"))).toEqual([]);
});

it("names a lock that is damaged", () => {
  const state = temporaryFolder();
  lockInputs(state, [a])[Symbol.dispose]();
  const file = path.join(state, "imports", `${a.input}.lock`);
  writeFileSync(file, "no database, but text of some length\n".repeat(99));
  expect(failureOf(() => lockInputs(state, [a]))).toMatchObject({
    kind: "io",
    message: `cannot lock ${file}: file is not a database`,
  });
});

it("finds the inputs that others have, and removes what killed processes left", () => {
  const state = temporaryFolder();
  const folder = path.join(state, "imports");
  const locks = lockInputs(state, [a, b]);
  writeFileSync(path.join(folder, `${c.input}.lock`), "");
  writeFileSync(path.join(folder, "notes.lock"), "");
  mkdirSync(path.join(folder, `${d.input}.lock`));
  expect(runningInputs(state, a.input)).toEqual([b.input]);
  const left = [a, b, d].map(({ input }) => `${input}.lock`);
  expect(readdirSync(folder).toSorted()).toEqual([...left, "notes.lock"]);
  locks[Symbol.dispose]();
});
