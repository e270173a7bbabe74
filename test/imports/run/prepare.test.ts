import { expect, it, onTestFinished } from "vitest";
import { ImportDatabase } from "../../../src/imports/database/database.ts";
import {
  beginImport,
  recordedRows,
  stepRows,
} from "../../../src/imports/database/import-records.ts";
import { tryInput } from "../../../src/imports/run/locks.ts";
import { importPlace, prepareImport, type SendRule } from "../../../src/imports/run/prepare.ts";
import type { Row, RowState } from "../../../src/imports/types.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { keyedRows, letterRows } from "../support/animals.ts";
import { newImport, rowsOf, setState, stagedDatabase, stageRows } from "../support/run.ts";

interface TestRun {
  readonly rule?: SendRule;
  readonly store?: string;
  /** How many rows end, by default added. */
  readonly adds?: number;
  readonly state?: RowState;
}

/** Opens a record of imports; each `prepare` is a run of an input with (so many) rows, of which some end. */
function openRecord() {
  const folder = temporaryFolder();
  const asked: (string | undefined)[] = [];
  const prepare = async (
    input: string,
    count: number | readonly Row[],
    { rule = {}, store, adds = 0, state = "added" }: TestRun = {},
  ) => {
    const rows = typeof count === "number" ? rowsOf(count) : count;
    const database = stagedDatabase(rows, folder);
    const prepared = await prepareImport(database, newImport({ input }), rule, async () => {
      asked.push(store);
      return store;
    });
    const { record } = prepared;
    if (prepared.kind !== "ready" || record === undefined) return prepared;
    const outcomes = recordedRows(database, record, 0, rows.length).map(({ outcome }) => outcome);
    for (let number = 0; number < adds; number += 1) setState(database, record, number, state);
    return { ...prepared, outcomes };
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
  ["an unfinished one, with --again", { again: true }, 1, { record: { id: 1, added: 1 } }],
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
  [{}, { kind: "refused", known: { known: 2, rows: 4 }, record: undefined }],
  [{ onlyNew: true }, { kind: "ready", outcomes: ["known", "known", "unsent", "unsent"] }],
  [{ again: true }, { kind: "ready", known: undefined, record: { unsent: 4 } }],
  [{ checkUnknown: true }, { kind: "never_imported", record: undefined }],
])("compares an input some of which another one added, with %j", async (rule, expected) => {
  const { asked, prepare } = openRecord();
  await prepare("a", 2, { adds: 2 });
  expect(await prepare("b", 4, { rule })).toMatchObject(expected);
  expect(asked).toHaveLength(rule.again || rule.checkUnknown ? 0 : 1);
});

it("refuses an input of which one row is known, and asks about the rest again after --again", async () => {
  const { prepare } = openRecord();
  await prepare("a", 5, { adds: 1 });
  expect(await prepare("b", 6)).toMatchObject({ kind: "refused", known: { known: 1 } });
  const sentAll = await prepare("b", 6, { rule: { again: true }, adds: 1 });
  expect(sentAll).toMatchObject({ kind: "ready", record: { unsent: 6 } });
  // The animal of `a` stands for no row of the rest.
  expect(await prepare("b", 6)).toMatchObject({ kind: "ready", known: undefined });
});

it("compares what is left of a run with --again with all that was added, the first run included", async () => {
  const { prepare } = openRecord();
  const again = { rule: { again: true } };
  await prepare("a", 3, { adds: 3 });
  expect(await prepare("a", 3, { ...again, adds: 1 })).toMatchObject({ record: { id: 2 } });
  expect(await prepare("a", 3)).toMatchObject({
    kind: "refused",
    known: { known: 2, rows: 2 },
  });
  const onlyNew = await prepare("a", 3, { rule: { onlyNew: true } });
  expect(onlyNew).toMatchObject({ record: { id: 2 }, outcomes: ["added", "known", "known"] });
  // It goes on with what is left, which is nothing where all are left out: a third time is anew.
  expect(await prepare("a", 3, again)).toMatchObject({ record: { id: 3, unsent: 3 } });
});

it("goes on with --again where it was stopped", async () => {
  const { prepare } = openRecord();
  await prepare("a", 3, { adds: 3 });
  for (const adds of [1, 3])
    expect(await prepare("a", 3, { rule: { again: true }, adds })).toMatchObject({
      record: { id: 2 },
    });
});

it.each<[RowState, SendRule, string, object]>([
  ["sent", {}, "refused", { known: { known: 1, doubtful: 1 } }],
  ["sent", { onlyNew: true }, "ready", { outcomes: ["unknown", "unsent"] }],
  ["sent", { onlyNew: true, retryUnknown: true }, "ready", { outcomes: ["unsent", "unsent"] }],
  ["rejected", {}, "ready", { outcomes: ["unsent", "unsent"] }],
])("after a row that is %s, %j is %s", async (state, rule, kind, expected) => {
  const { prepare } = openRecord();
  await prepare("a", 1, { adds: 1, state });
  expect(await prepare("b", 2, { rule })).toMatchObject({ kind, ...expected });
});

it("refuses no file again for what it left out", async () => {
  const { prepare } = openRecord();
  const [both, first, second] = ["ab", "a", "b"].map(letterRows) as [Row[], Row[], Row[]];
  await prepare("a", first, { adds: 1, state: "sent" });
  await prepare("b", both, { rule: { onlyNew: true } });
  for (let i = 0; i < 2; i += 1)
    expect(await prepare("b", both)).toMatchObject({ outcomes: ["unknown", "unsent"] });
  await prepare("c", second, { adds: 1 });
  expect(await prepare("b", both)).toMatchObject({
    kind: "refused",
    known: { known: 2, news: 1 },
  });
});

it.each<[string, SendRule, string, number]>([
  ["A=Rex|B=Mia", {}, "refused", 2],
  ["A=Rex|B=Mia", { onlyNew: true }, "refused", 2],
  ["A=Rex|B=Mia", { again: true }, "ready", 0],
  ["A=Rex|C=Leo", {}, "ready", 0],
  ["A=Rex|B=Mia|3=Tom", { onlyNew: true }, "ready", 0],
  ["A=Rex|B=Mia|3=Tom", {}, "refused", 0],
])("after rows with keys, %s with %j is %s", async (now, rule, kind, otherKeys) => {
  const { prepare } = openRecord();
  await prepare("a", keyedRows("1=Rex|2=Mia|3=Tom"), { adds: 3 });
  const prepared = await prepare("b", keyedRows(now), { rule });
  const known = "known" in prepared && prepared.known?.hasOtherKeys ? prepared.known.known : 0;
  expect([prepared.kind, known]).toEqual([kind, otherKeys]);
});

it("asks nothing about keys once rows of a file were sent", async () => {
  const { prepare } = openRecord();
  await prepare("a", keyedRows("1=Rex|2=Mia"), { adds: 2 });
  await prepare("b", keyedRows("A=Rex|B=Mia|C=Leo"), { rule: { again: true }, adds: 1 });
  expect(await prepare("b", keyedRows("A=Rex|B=Mia|C=Leo"))).toMatchObject({ kind: "ready" });
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
  const prepared = await prepareImport(database, newImport(), {}, async () => undefined);
  expect(prepared).toMatchObject({ kind: "refused", known: { known: 1 } });
});

it("removes what a killed process had begun, and nothing of one that has its lock", async () => {
  const { folder, prepare } = openRecord();
  const database = stagedDatabase(rowsOf(3), folder);
  for (const input of ["a", "c", "b"]) await beginImport(database, newImport({ input }));
  using locks = new DisposableStack();
  locks.use(tryInput(folder, "c"));
  expect(await prepare("b", 3)).toMatchObject({
    kind: "ready",
    known: undefined,
    record: { id: 4 },
  });
  const imports = database.all<{ import: number }>("SELECT DISTINCT import FROM rows");
  expect(imports.map((each) => each.import)).toEqual([2, 4]);
});

const at = (content: string, url: string) => importPlace(content, new URL(url));

it("tells inputs apart by what they say and by their base URL, whatever the slash at its end", () => {
  const place = at("a", "https://shop.example/v1");
  expect(at("a", "https://shop.example/v1/")).toEqual(place);
  expect(at("b", "https://shop.example/v1").address).toBe(place.address);
  const inputs = [at("b", "https://shop.example/v1"), at("a", "https://shop.example:8443/v1")];
  expect(new Set([place, ...inputs].map(({ input }) => input)).size).toBe(3);
});
