import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compareRows,
  coverRows,
  foundRows,
  hasEarlierRows,
  rowsWithOtherKeys,
} from "../../../src/imports/database/compare.ts";
import { ImportDatabase } from "../../../src/imports/database/database.ts";
import { fingerprint } from "../../../src/imports/database/fingerprint.ts";
import {
  beginImport,
  isUntouched,
  readImport,
  recordedRows,
  removeImports,
  startImport,
} from "../../../src/imports/database/import-records.ts";
import { outcomesOf } from "../../../src/imports/results.ts";
import type { Outcome, Row } from "../../../src/imports/types.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { keyedRows, letterRows, statesOf } from "../support/animals.ts";
import {
  newImport,
  setState,
  stagedDatabase,
  stageRows,
  startedImport,
  testImport,
} from "../support/run.ts";

/** Letters, and how their rows ended. */
type Ended = readonly [letters: string, ends: string];

/** The address of all imports. */
const address = "b";

/** Compares rows with those of other imports, which have the ids from 1 on; `own` began before them. */
async function compare(letters: string, others: readonly Ended[], own?: Ended) {
  const folder = temporaryFolder();
  const begin = ([sent, ends]: Ended, input: string) =>
    testImport(letterRows(sent), statesOf(ends), { folder, input });
  for (const other of others) await begin(other, "other");
  const record = own && (await begin(own, "own")).record;
  const database = stagedDatabase(letterRows(letters), folder);
  const comparison = compareRows(database, record, address);
  return { database, record, comparison, text: comparison ? foundText(database) : [] };
}

const foundText = (database: ImportDatabase): string[] =>
  foundRows(database, [0, 99]).map(
    ({ number, outcome, id }) => `${number} ${outcome} ${id ?? "?"}`,
  );

const count = (text: string, letter: string): number => text.split(letter).length - 1;

describe("compareRows", () => {
  it.each<[string, Ended[], string[]]>([
    ["abc", [], []],
    ["abc", [["xyz", "aaa"]], []],
    ["abc", [["ca", "aa"]], ["0 known 101", "2 known 100"]],
    ["aaa", [["aa", "aa"]], ["0 known 100", "1 known 101"]],
    ["aab", [["aaaa", "aaaa"]], ["0 known 100", "1 known 101"]],
    ["abc", [["abc", "asr"]], ["0 known 100", "1 unknown ?"]],
    ["ab", [["ab", ".r"]], []],
    [
      "a",
      [
        ["a", "s"],
        ["a", "a"],
      ],
      ["0 known 200"],
    ],
    ["aa", [["aa", "sa"]], ["0 known 101", "1 unknown ?"]],
    ["A", [["a", "a"]], ["0 changed 100"]],
    ["A", [["a", "s"]], ["0 unknown ?"]],
    ["Aa", [["a", "a"]], ["1 known 100"]],
    ["AA", [["a", "a"]], ["0 changed 100"]],
    ["aA", [["Aa", "aa"]], ["0 known 101", "1 known 100"]],
  ])("finds for %j after %j: %j", async (letters, others, expected) => {
    const { text, comparison } = await compare(letters, others);
    expect(text).toEqual(expected);
    expect(comparison?.rows).toBe(expected.length > 0 ? letters.length : undefined);
    expect(comparison?.known ?? 0).toBe(expected.length);
  });

  it("tells of one outcome, or all, from a row on", async () => {
    const { database, comparison } = await compare("aBcd", [["abcd", "aasa"]]);
    expect(comparison).toMatchObject({ known: 4, changed: 1, doubtful: 1, news: 4 });
    const numbers = (first: number, most: number, outcome?: Outcome) =>
      foundRows(database, [first, most], outcome).map(({ number }) => number);
    expect(numbers(0, 9, "known")).toEqual([0, 3]);
    expect(numbers(0, 9, "unknown")).toEqual([2]);
    expect(numbers(1, 2)).toEqual([1, 2]);
    const [changed] = foundRows(database, [0, 9], "changed");
    expect(changed).toMatchObject({ number: 1, line: 2, status: "", own: "sold", id: "101" });
  });

  it("does not compare rows that were sent", async () => {
    const { text, comparison } = await compare("aaa", [["aa", "aa"]], ["aaa", "a.r"]);
    expect([text, comparison?.rows]).toEqual([["1 known 100"], 1]);
  });

  it("compares what is left of a file that is added again with its own first run too", async () => {
    const { text } = await compare("abc", [["abc", "aa."]], ["abc", "a.."]);
    expect(text).toEqual(["1 known 101"]);
    const both = await compare("aa", [["aa", "aa"]], ["aa", "a."]);
    expect(both.text).toEqual(["1 known 100"]);
  });

  it("finds all rows of a running import that were, may be or will be sent", async () => {
    const { database, text } = await compare("abcde", [["abcd", "a.rs"]]);
    expect(text).toEqual(["0 known 100", "3 unknown ?"]);
    setRunning(database, ["other"]);
    const known = compareRows(database, undefined, address);
    expect(known).toMatchObject({ known: 3, doubtful: 2, rows: 5 });
    expect(foundText(database)).toEqual(["0 known 100", "1 waiting ?", "3 waiting ?"]);
  });

  it("knows whether any earlier row may count, to any store", async () => {
    const { database } = await compare("ab", [["ab", "r."]]);
    database.run("UPDATE imports SET store = 'store-1', address = 'elsewhere'");
    const ask = () =>
      [[], ["other"], ["third"]].map((running) => {
        setRunning(database, running);
        return hasEarlierRows(database);
      });
    expect(ask()).toEqual([false, true, false]);
    setState(database, { id: 1 }, 1, "sent");
    expect(ask()).toEqual([true, true, true]);
  });

  it("finds no row of an import that has not started", async () => {
    const { database } = await compare("a", []);
    const id = await beginImport(database, newImport({ input: "other" }));
    setRunning(database, ["other"]);
    expect(hasEarlierRows(database)).toBe(false);
    await startImport(database, id, {});
    expect(hasEarlierRows(database)).toBe(true);
  });

  it("does not wait for a row that a running import leaves out itself", async () => {
    const { database, record } = await compare("aa", [["a", "a"]], ["aa", ".."]);
    const third = stagedDatabase(letterRows("aaa"), database.folder);
    setRunning(third, ["own"]);
    const known = () => compareRows(third, undefined, address)?.known;
    expect(known()).toBe(3);
    database.run("INSERT INTO covers VALUES (?, 0, 1, 0, 0)", record?.id ?? 0);
    expect(known()).toBe(2);
  });

  it.each<[string, string, string, string[]]>([
    ["the same key is the same animal", "1=Rex", "1=Rex", ["0 known"]],
    ["its case and blanks don't count", " A1 =Rex", "a1=Rex", ["0 known"]],
    ["nor do zeros of a number", "0017=Rex|18=Leo", "17.0=Rex|0018=Leo", ["0 known", "1 known"]],
    ["changed with another status", "1=Rex", "1=Rex sold", ["0 changed"]],
    ["changed with another name", "1=Rex", "1=Max", ["0 changed"]],
    ["another key is another animal", "1=Mia", "2=Mia", []],
    ["no key now: compared by what it says", "1=Mia", "Mia", ["0 known"]],
    ["no key then: compared by what it says", "Mia", "2=Mia sold", ["0 changed"]],
    ["each once: the key first", "1=Mia", "Mia|1=Mia sold", ["1 changed"]],
    ["each once: of two earlier ones", "1=Mia|Mia", "2=Mia|Mia", ["0 known", "1 known"]],
    ["each once: of one that has no key", "Mia", "1=Mia|2=Mia", ["0 known"]],
    ["no key now: one with a key first", "1=Mia|Mia", "Mia|2=Mia", ["0 known", "1 known"]],
    [
      "two kept, one new of the same name",
      "1=Mia|2=Mia",
      "1=Mia|2=Mia|3=Mia",
      ["0 known", "1 known"],
    ],
    ["the version that is equal counts", "1=Rex||1=Rex sold", "1=Rex sold", ["0 known"]],
  ])("knows rows by keys: %s", async (_what, earlier, now, expected) => {
    const database = await keyedHistory(earlier, now);
    const comparison = compareRows(database, undefined, address);
    const found = comparison ? foundRows(database, [0, 9]) : [];
    expect(found.map(({ number, outcome }) => `${number} ${outcome}`)).toEqual(expected);
  });

  it.each<[string, string, number?]>([
    ["1=Rex|2=Mia", "A=Rex|B=Mia|C=Leo", 2],
    ["1=Mia|2=Mia", "A=Mia|B=Mia|C=Mia", 2],
    ["1=Rex|2=Mia", "A=Rex|B=Mia sold"],
    ["1=Rex|2=Mia", "A=Leo"],
    ["1=Rex|2=Mia", "Rex|Mia"],
    ["Rex|Mia", "A=Rex|B=Mia"],
    ["1=Rex|2=Mia|3=Leo", "A=Rex|B=Mia|3=Leo"],
    ["1=Rex|2=Mia||3=Leo", "A=Rex|B=Mia|C=Leo", 3],
  ])("after %s, so many rows of %s seem to have other keys: %s", async (earlier, now, expected) => {
    const database = await keyedHistory(earlier, now);
    compareRows(database, undefined, address);
    expect(rowsWithOtherKeys(database)?.known).toBe(expected);
  });

  it.each<[string, string, string[]]>([
    ["Zoe\u0308|Rex", "Rex|Zoe\u0308", ["0 known 101", "1 known 100"]],
    ["0017=Rex", "0017=Max", ["0 changed 100"]],
    ["0017=Zoe\u0308", "0017=Zoe\u0308", ["0 known 100"]],
    ["0017=Zoe\u0308", "Zoe\u0308 sold", ["0 changed 100"]],
    ["17=Rex", "0017=Rex", ["0 known 100"]],
  ])("knows rows as version 5 recorded them: after %j, %j", async (then, now, expected) => {
    const { database, record } = await testImport(keyedRows(then), statesOf("aa"));
    for (const { index, pet, key } of keyedRows(then)) {
      const { old = fingerprint(pet, key) } = fingerprint(pet, key);
      for (const table of ["prints", "keys"]) {
        const update = `UPDATE ${table} SET print = ?, key = ? WHERE import = ? AND number = ?`;
        if (table === "prints" || old.key)
          database.run(update, old.print, old.key, record.id, index);
      }
    }
    const later = stagedDatabase(keyedRows(now), database.folder);
    compareRows(later, undefined, address);
    expect(foundText(later)).toEqual(expected);
  });

  it.each<[string, string, string | null, string | undefined, boolean]>([
    ["the same address, as neither tells an id", "b", null, undefined, true],
    ["another address", "elsewhere", null, undefined, false],
    ["the same id at another address", "elsewhere", "store-1", "store-1", true],
    ["another id at the same address", "b", "store-1", "store-2", false],
    ["the same address, before it told an id", "b", null, "store-1", true],
    ["the same address, as it tells no id any more", "b", "store-1", undefined, true],
  ])("knows the store by %s: %s, %s, %s", async (_what, there, store, storeId, isKnown) => {
    const { database } = await compare("ab", [["ab", "aa"]]);
    database.run("UPDATE imports SET store = ?, address = ?", store, there);
    expect(compareRows(database, undefined, address, storeId) !== undefined).toBe(isKnown);
  });

  it("matches as many rows as were added, equal ones first, whatever the order", async () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "A", "b", "B", "c"), maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(letters, letters, async (own, other) => {
        const { comparison } = await compare(own, [[other, "a".repeat(other.length)]]);
        let [known, either] = [0, 0];
        for (const letter of "abc") {
          const capital = letter.toUpperCase();
          const equal = [letter, capital].map((each) =>
            Math.min(count(own, each), count(other, each)),
          );
          known += equal.reduce((sum, each) => sum + each, 0);
          either += Math.min(count(own.toLowerCase(), letter), count(other.toLowerCase(), letter));
        }
        expect([comparison?.known ?? 0, comparison?.changed ?? 0]).toEqual([
          either,
          either - known,
        ]);
      }),
      { numRuns: 20 },
    );
  });
});

/** Records imports whose rows were all added, and stages `now`. */
async function keyedHistory(earlier: string, now: string): Promise<ImportDatabase> {
  const folder = temporaryFolder();
  for (const file of earlier.split("||")) {
    const rows = keyedRows(file);
    await testImport(rows, statesOf("a".repeat(rows.length)), { folder, input: file });
  }
  return stagedDatabase(keyedRows(now), folder);
}

/** Compares an import, and leaves out what is found. */
async function cover(
  database: ImportDatabase,
  id: number,
  { running = [], ...rule }: Parameters<typeof coverRows>[3] & { running?: string[] } = {},
): Promise<string[]> {
  setRunning(database, running);
  const known = rule.again ? undefined : compareRows(database, { id }, address);
  await coverRows(database, id, known !== undefined, rule);
  return outcomes(database, id);
}

/** Sets which inputs other processes work on. */
function setRunning(database: ImportDatabase, inputs: readonly string[]): void {
  const insert = "INSERT INTO running SELECT id FROM imports WHERE input = ?";
  database.exec("DELETE FROM running");
  for (const input of inputs) database.run(insert, input);
}

const outcomes = (database: ImportDatabase, id: number): string[] =>
  recordedRows(database, { id }, 0, 9).map((row) => `${row.outcome} ${row.id ?? "?"}`);

/** Sets the state of the row that the import 1 has. */
type Change = (database: ImportDatabase) => unknown;
const becomes =
  (state: "added" | "rejected" | "unsent"): Change =>
  (database) =>
    setState(database, { id: 1 }, 0, state);

describe("coverRows", () => {
  it.each<[string, Change, string[], string, string]>([
    ["is", () => {}, [], "unknown ?", "unknown ?"],
    ["is that of a running import", () => {}, ["other"], "unknown ?", "waiting ?"],
    ["was added", becomes("added"), [], "known 100", "known 100"],
    ["turns out not to be there", becomes("unsent"), [], "unsent ?", "unsent ?"],
    ["is sent again", becomes("unsent"), ["other"], "unsent ?", "waiting ?"],
    ["was rejected", becomes("rejected"), [], "unsent ?", "unsent ?"],
    ["is forgotten", (database) => removeImports(database, [1]), [], "unsent ?", "unsent ?"],
  ])(
    "leaves out a row for an unknown one, which %s",
    async (_what, change, running, now, later) => {
      const { database } = await compare("a", [["a", "s"]], ["a", "."]);
      expect(await cover(database, 2)).toEqual(["unknown ?"]);
      await change(database);
      expect(outcomes(database, 2)).toEqual([now]);
      expect(await cover(database, 2, { running })).toEqual([later]);
      const { rows, unsent } = readImport(database, 2);
      expect([rows, unsent]).toEqual([1, later === "unsent ?" ? 1 : 0]);
    },
  );

  it.each<[string, string, object, string]>([
    ["s", "an unknown row", {}, "unsent ?"],
    ["s", "an unknown row of a running import", { running: ["other"] }, "waiting ?"],
    [".", "a row that a running import is to send", { running: ["other"] }, "waiting ?"],
    ["a", "an added row", {}, "known 100"],
  ])(
    "with --retry-unknown, a row left out for %s (%s) is %j",
    async (end, _what, rule, expected) => {
      const { database } = await compare("a", [["a", end]], ["a", "."]);
      await cover(database, 2, rule);
      expect(await cover(database, 2, { ...rule, retryUnknown: true })).toEqual([expected]);
    },
  );

  it("sends a row again that stood for others only once: these are left to the one that was added", async () => {
    const { database } = await compare("a", [["a", "s"]], ["a", "s"]);
    const { record } = await testImport(
      letterRows("a"),
      {},
      { folder: database.folder, input: "c" },
    );
    expect(await cover(database, record.id)).toEqual(["unknown ?"]);
    setState(database, { id: 2 }, 0, "added");
    expect(await cover(database, record.id)).toEqual(["known 200"]);
    expect(await cover(database, record.id, { retryUnknown: true })).toEqual(["known 200"]);
  });

  it("keeps a row that is left out for an added one, and compares the others", async () => {
    const { database, record } = await compare("aBc", [["ab", "aa"]], ["aBc", "..."]);
    expect(await cover(database, 2)).toEqual(["known 100", "changed 101", "unsent ?"]);
    expect(compareRows(database, record, address)).toBeUndefined();
    expect(await cover(database, 2)).toEqual(["known 100", "changed 101", "unsent ?"]);
    expect(readImport(database, 2)).toMatchObject({ rows: 3, known: 1, changed: 1, unsent: 1 });
    // One more animal stands for no row that has one.
    await testImport(letterRows("bC"), statesOf("aa"), { folder: database.folder, input: "d" });
    expect(compareRows(database, record, address)).toMatchObject({ known: 1, rows: 1, news: 1 });
    expect(await cover(database, 2)).toEqual(["known 100", "changed 101", "changed 301"]);
    expect(await cover(database, 2, { again: true })).toEqual(
      Array.from({ length: 3 }, () => "unsent ?"),
    );
  });

  it("finds no news in rows that an earlier run left out, and leaves out the same ones again", async () => {
    const { database, record } = await compare("aa", [["aa", "s."]], ["aa", ".."]);
    await cover(database, 2);
    database.run("UPDATE covers SET number = 1");
    expect(compareRows(database, record, address)).toMatchObject({
      known: 1,
      doubtful: 1,
      news: 0,
    });
    expect(await cover(database, 2)).toEqual(["unsent ?", "unknown ?"]);
  });

  it("keeps a row left out whose animal is recorded as added while it is compared", async () => {
    const { database } = await compare("a", [["a", "s"]], ["a", "."]);
    await cover(database, 2);
    compareRows(database, { id: 2 }, address);
    setState(database, { id: 1 }, 0, "added");
    await coverRows(database, 2, true, {});
    expect(outcomes(database, 2)).toEqual(["known 100"]);
  });

  it("lets a row stand for one of each import", async () => {
    const { database } = await compare("a", [["a", "a"]], ["aa", ".."]);
    const insert = "INSERT INTO covers VALUES (?, ?, 1, 0, 0)";
    database.run(insert, 2, 0);
    database.run(insert, 3, 0);
    expect(() => database.run(insert, 2, 1)).toThrow("UNIQUE constraint failed");
  });
});

it("records any id of an animal, and finds it again", async () => {
  await fc.assert(
    fc.asyncProperty(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), async (id) => {
      const { database, record } = await testImport(letterRows("a"));
      setState(database, record, 0, "added", id);
      expect(compareRows(database, undefined, address)).toMatchObject({ known: 1 });
      expect(foundRows(database, [0, 1])).toMatchObject([{ id: String(id) }]);
      const own = { folder: database.folder, input: "own" };
      const { database: other, record: begun } = await testImport(letterRows("a"), {}, own);
      await cover(other, begun.id);
      expect(outcomesOf(other, begun, "not_sent")(0, letterRows("a")[0] as Row)).toMatchObject({
        outcome: "known",
        id: String(id),
      });
    }),
    { numRuns: 15, examples: [[2n ** 53n], [2n ** 63n - 1n], [-(2n ** 63n)]] },
  );
});

it("neither compares rows that are left out as they repeat a key, nor are they recorded to be compared", async () => {
  const folder = temporaryFolder();
  await testImport(keyedRows("1=Rex"), { 0: "added" }, { folder });
  using database = new ImportDatabase(folder, "write");
  const rows = keyedRows("1=Rex|1=Max|2=Mia|2=Leo");
  stageRows(database, rows, "first");
  const own = await startedImport(database, newImport({ input: "own" }));
  expect(own).toMatchObject({ rows: 4, unsent: 2, repeated: 2, invalid: 0 });
  expect(isUntouched(own)).toBe(true);
  expect(compareRows(database, own, address)).toMatchObject({ rows: 2, known: 1, changed: 0 });
  const outcomeOf = outcomesOf(database, own, "not_sent", "compared");
  const found = rows.map((row) => outcomeOf(row.index, row).outcome);
  expect(found).toEqual(["known", "repeated", "not_sent", "repeated"]);
  for (const table of ["prints", "keys"])
    expect(database.all(`SELECT number FROM ${table} WHERE import = ?`, own.id)).toHaveLength(2);
});
