import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compareRows,
  foundRows,
  hasEarlierRows,
  leaveOutFound,
} from "../../../src/imports/database/compare.ts";
import { ImportDatabase } from "../../../src/imports/database/database.ts";
import {
  beginImport,
  importsOfInput,
  recordedRows,
  startImport,
} from "../../../src/imports/database/import-records.ts";
import { equalRows, openStage } from "../../../src/imports/database/stage.ts";
import { outcomesOf } from "../../../src/imports/results.ts";
import type { Row, RowState } from "../../../src/imports/types.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { newImport, recordChanges, stagedDatabase, stageRows, testImport } from "../support/run.ts";

/** Returns an animal for each character: a capital is `sold`, any other letter has no status. */
function petsOf(letters: string): Row[] {
  return Array.from(letters, (letter, index) => ({
    index,
    line: index + 1,
    pet: {
      name: letter.toLowerCase(),
      categoryId: 1n,
      ...(letter !== letter.toLowerCase() && { status: "sold" as const }),
    },
  }));
}

/** Reads rows such as `1=Mia|Rex sold`: a key, if any, a name and a status, if any. */
const keyedRows = (text: string): Row[] =>
  text.split("|").map((row, index) => {
    const [, key, name = "", status] = /^(?:(.*)=)?(\S+)( sold)?$/.exec(row) ?? [];
    const pet = { name, categoryId: 1n, ...(status && { status: "sold" as const }) };
    return Object.assign({ index, line: index + 1, pet }, key !== undefined && { key });
  });

const states: Record<string, RowState> = { a: "added", s: "sent", u: "unknown", r: "rejected" };

/** Letters, and how their rows ended: added, sent, unknown, rejected, or "." for unsent. */
type Ended = readonly [letters: string, ends: string];

async function compare(letters: string, others: readonly Ended[], own?: Ended) {
  const folder = temporaryFolder();
  const earlier = ([sent, ends]: Ended, input: string) => {
    const ended = Array.from(ends, (end) => states[end]);
    return testImport(petsOf(sent), ended, { folder, input });
  };
  for (const other of others) await earlier(other, "other");
  const record = own && (await earlier(own, "own")).record;
  const database = stagedDatabase(petsOf(letters), folder);
  const comparison = compareRows(database, record, place);
  const found = comparison ? foundRows(database, [0, 99]) : [];
  const text = found.map(({ number, kind, id }) => `${number} ${kind} ${id ?? "?"}`);
  return { database, comparison, text };
}

/** The input that is compared, at the address of the others. */
const place = { input: "own", address: "b" };

const count = (text: string, letter: string): number => text.split(letter).length - 1;

describe("compareRows", () => {
  it.each<[string, Ended[], string[]]>([
    ["abc", [], []],
    ["abc", [["xyz", "aaa"]], []],
    ["abc", [["ca", "aa"]], ["0 known 101", "2 known 100"]],
    ["aaa", [["aa", "aa"]], ["0 known 100", "1 known 101"]],
    ["aab", [["aaaa", "aaaa"]], ["0 known 100", "1 known 101"]],
    ["abcd", [["abcd", "asur"]], ["0 known 100", "1 known ?", "2 known ?"]],
    ["ab", [["ab", ".r"]], []],
    [
      "a",
      [
        ["a", "s"],
        ["a", "a"],
      ],
      ["0 known 200"],
    ],
    ["A", [["a", "a"]], ["0 changed 100"]],
    ["Aa", [["a", "a"]], ["1 known 100"]],
    ["AA", [["a", "a"]], ["0 changed 100"]],
    ["aA", [["Aa", "aa"]], ["0 known 101", "1 known 100"]],
  ])("finds for %j after %j: %j", async (letters, others, expected) => {
    const { text, comparison } = await compare(letters, others);
    expect(text).toEqual(expected);
    expect(comparison?.rows).toBe(expected.length > 0 ? letters.length : undefined);
    expect(comparison?.known ?? 0).toBe(expected.length);
  });

  it("does not compare rows that were sent", async () => {
    const { text, comparison } = await compare("aaa", [["aa", "aa"]], ["aaa", "a.r"]);
    expect([text, comparison?.rows]).toEqual([["1 known 100"], 1]);
  });

  it("does not find a row again that it left out", async () => {
    const { database, comparison } = await compare("aBc", [["ab", "aa"]], ["aBc", "..."]);
    const [own] = importsOfInput(database, "own");
    if (own === undefined || comparison === undefined) throw new Error("nothing to compare");
    await leaveOutFound(database, own);
    const rows = recordedRows(database, own, 0, 9);
    const marked = ["0 known 100", "1 changed 101", "2 unsent ?"];
    expect(rows.map(({ number, state, id }) => `${number} ${state} ${id ?? "?"}`)).toEqual(marked);
    expect(compareRows(database, own, place)).toBeUndefined();
    const [after] = importsOfInput(database, "own");
    expect(after).toMatchObject({ known: 1, changed: 1, unsent: 1 });
  });

  it("finds all rows of a running import that were or may be sent", async () => {
    const { database, text } = await compare("abcde", [["abcd", "a.ru"]]);
    expect(text).toEqual(["0 known 100", "3 known ?"]);
    const known = compareRows(database, undefined, place, undefined, ["other"]);
    expect(known).toMatchObject({ known: 3, doubtful: 2, rows: 5 });
    expect(foundRows(database, [0, 9]).map(({ number }) => number)).toEqual([0, 1, 3]);
    expect(hasEarlierRows(database, "own", [])).toBe(true);
    expect(hasEarlierRows(database, "other", [])).toBe(false);
  });

  it("finds no row of an import that has not started", async () => {
    const { database } = await compare("a", []);
    const id = await beginImport(database, newImport(1, { input: "other" }));
    expect(hasEarlierRows(database, "own", ["other"])).toBe(false);
    await startImport(database, id, { isAgain: false });
    expect(hasEarlierRows(database, "own", ["other"])).toBe(true);
  });

  it("leaves out no row twice for one that a running import leaves out", async () => {
    const { database, comparison } = await compare("aa", [["a", "a"]], ["aa", ".."]);
    const [own] = importsOfInput(database, "own");
    if (own === undefined || comparison === undefined) throw new Error("nothing to compare");
    await leaveOutFound(database, own);
    database.run("UPDATE rows SET state = iif(number = 1, 'known', 'unsent') WHERE import = 2");
    expect(compareRows(database, own, place)).toBeUndefined();
    database.run("UPDATE rows SET state = iif(number = 0, 'known', 'unsent') WHERE import = 2");
    const third = { ...place, input: "third" };
    expect(compareRows(database, undefined, third, undefined, ["own"])).toMatchObject({ known: 2 });
    database.run("UPDATE rows SET state = 'known' WHERE import = 2 AND number = 1");
    expect(compareRows(database, undefined, third, undefined, ["own"])).toMatchObject({ known: 1 });
  });

  it.each<[string, string, string, string[]]>([
    ["the same key is the same animal", "1=Rex", "1=Rex", ["0 known"]],
    ["its case and blanks don't count", " A1 =Rex", "a1=Rex", ["0 known"]],
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
    const folder = temporaryFolder();
    for (const file of earlier.split("||")) {
      const rows = keyedRows(file);
      await testImport(
        rows,
        rows.map(() => "added" as const),
        { folder, input: file },
      );
    }
    const database = stagedDatabase(keyedRows(now), folder);
    const comparison = compareRows(database, undefined, place);
    const found = comparison ? foundRows(database, [0, 9]) : [];
    expect(found.map(({ number, kind }) => `${number} ${kind}`)).toEqual(expected);
  });

  it.each<[string, string, string | null, string | undefined, boolean]>([
    ["the same address, as neither tells an id", "b", null, undefined, true],
    ["another address", "elsewhere", null, undefined, false],
    ["the same id at another address", "elsewhere", "store-1", "store-1", true],
    ["another id at the same address", "b", "store-1", "store-2", false],
    ["the same address, before it told an id", "b", null, "store-1", true],
    ["the same address, as it tells no id any more", "b", "store-1", undefined, true],
  ])("knows the store by %s: %s, %s, %s", async (_what, address, store, storeId, isKnown) => {
    const { database } = await compare("ab", [["ab", "aa"]]);
    database.run("UPDATE imports SET store = ?, address = ?", store, address);
    expect(compareRows(database, undefined, place, storeId) !== undefined).toBe(isKnown);
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

it("makes rows invalid whose key came before, and tells no equal rows that have one", () => {
  const database = new ImportDatabase(temporaryFolder(), "write");
  const stage = openStage(database);
  stage.add(keyedRows("1=Mia|2=Mia|a=Rex|1=Leo|Mia|A=Rex|1=Mia"));
  expect(stage.end(2)).toEqual({
    count: 3,
    first: [
      { number: 3, line: 4, firstLine: 1 },
      { number: 5, line: 6, firstLine: 3 },
    ],
  });
  expect(equalRows(database, 5)).toEqual({ count: 0, first: [] });
});

it("takes over a record of version 4, to be read or written", async () => {
  const folder = temporaryFolder();
  await testImport(petsOf("ab"), ["added", "added"], { folder, input: "old" });
  const old = new DatabaseSync(path.join(folder, "imports.db"));
  old.exec(`DROP TABLE keys; DROP TABLE starts; ALTER TABLE prints DROP COLUMN key;
    ALTER TABLE imports DROP COLUMN isReady;
    ALTER TABLE imports ADD COLUMN isFinished INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE rows ADD COLUMN isNoted INTEGER NOT NULL DEFAULT 0; PRAGMA user_version = 4`);
  old.close();
  for (const access of ["read", "write", "write", "read"] as const) {
    const taken = new ImportDatabase(folder, access);
    stageRows(taken, petsOf("bcd"));
    expect(compareRows(taken, undefined, place)).toMatchObject({ known: 1, rows: 3 });
    expect(importsOfInput(taken, "old")).toMatchObject([{ added: 2, unsent: 0 }]);
    taken.close();
  }
  const [first] = importsOfInput(
    (await testImport(petsOf("x"), {}, { folder, input: "new" })).database,
    "new",
  );
  expect(first).toMatchObject({ rows: 1, unsent: 1 });
});

it("records any id of an animal, and finds it again", async () => {
  await fc.assert(
    fc.asyncProperty(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), async (id) => {
      const { database, record } = await testImport(petsOf("a"));
      await recordChanges(database, record, [
        { row: { index: 0 }, from: "unsent", to: "added", id },
      ]);
      expect(compareRows(database, undefined, place)).toMatchObject({ known: 1 });
      expect(foundRows(database, [0, 1])).toMatchObject([{ id: String(id) }]);
      const { database: other, record: own } = await testImport(
        petsOf("a"),
        {},
        { folder: database.folder, input: "own" },
      );
      const known = compareRows(other, own, place);
      if (known !== undefined) await leaveOutFound(other, own);
      expect(outcomesOf(other, own, "not_sent")(0, petsOf("a")[0] as Row)).toMatchObject({
        outcome: "known",
        id: String(id),
      });
    }),
    { numRuns: 15, examples: [[2n ** 53n], [2n ** 63n - 1n], [-(2n ** 63n)]] },
  );
});

it("names equal rows of an input by their lines", () => {
  const database = stagedDatabase(petsOf("abaAba"));
  expect(equalRows(database, 5)).toEqual({
    count: 3,
    first: [
      { number: 0, lines: [1, 3, 6] },
      { number: 1, lines: [2, 5] },
    ],
  });
  expect(equalRows(database, 1)).toEqual({ count: 3, first: [{ number: 0, lines: [1, 3, 6] }] });
});
