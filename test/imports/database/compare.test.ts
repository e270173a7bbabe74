import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compareRows,
  equalRows,
  foundRows,
  hasEarlierRows,
  isProbablyAdded,
  recordFound,
} from "../../../src/imports/database/compare.ts";
import { importsOfInput } from "../../../src/imports/database/import-records.ts";
import { recordedRows } from "../../../src/imports/database/rows.ts";
import type { Row, RowState } from "../../../src/imports/types.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { stagedDatabase, stageRows, testImport } from "../support/run.ts";

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
    expect(comparison?.compared).toBe(expected.length > 0 ? letters.length : undefined);
    expect(comparison?.known ?? 0).toBe(expected.length);
  });

  it("does not compare rows that were sent", async () => {
    const { text, comparison } = await compare("aaa", [["aa", "aa"]], ["aaa", "a.r"]);
    expect([text, comparison?.compared]).toEqual([["1 known 100"], 1]);
  });

  it.each<[boolean, string, string[]]>([
    [true, "known", ["0 known 100", "1 changed 101", "2 unsent ?"]],
    [false, "accepted", ["0 unsent ?", "1 unsent ?", "2 unsent ?"]],
  ])(
    "does not find a row again that it left out, or accepted: %s",
    async (onlyNew, _what, marked) => {
      const { database, comparison } = await compare("aBc", [["ab", "aa"]], ["aBc", "..."]);
      const [own] = importsOfInput(database, "own");
      if (own === undefined || comparison === undefined) throw new Error("nothing to compare");
      recordFound(database, own, comparison, onlyNew);
      const rows = recordedRows(database, own, 0, 9);
      expect(rows.map(({ number, state, id }) => `${number} ${state} ${id ?? "?"}`)).toEqual(
        marked,
      );
      expect(compareRows(database, own, place)).toBeUndefined();
      const [after] = importsOfInput(database, "own");
      const counts = onlyNew ? { known: 1, changed: 1, unsent: 1 } : { unsent: 3 };
      expect(after).toMatchObject(counts);
    },
  );

  it("finds all rows of a running import that were or may be sent", async () => {
    const { database, text } = await compare("abcde", [["abcd", "a.ru"]]);
    expect(text).toEqual(["0 known 100", "3 known ?"]);
    const known = compareRows(database, undefined, place, undefined, ["other"]);
    expect(known).toMatchObject({ known: 3, compared: 5 });
    expect(foundRows(database, [0, 9]).map(({ number }) => number)).toEqual([0, 1, 3]);
    expect(hasEarlierRows(database, "own", [])).toBe(true);
    expect(hasEarlierRows(database, "other", [])).toBe(false);
  });

  it("leaves out no row twice for one that a running import leaves out", async () => {
    const { database, comparison } = await compare("aa", [["a", "a"]], ["aa", ".."]);
    const [own] = importsOfInput(database, "own");
    if (own === undefined || comparison === undefined) throw new Error("nothing to compare");
    recordFound(database, own, comparison, true);
    const third = { ...place, input: "third" };
    expect(compareRows(database, undefined, third, undefined, ["own"])).toMatchObject({ known: 2 });
    database.run("UPDATE rows SET state = 'known' WHERE import = 2 AND number = 1");
    expect(compareRows(database, undefined, third, undefined, ["own"])).toMatchObject({ known: 1 });
  });

  it.each<[string, string, 0 | 1, boolean]>([
    ["a finished import, fewer than half", "abcde", 0, false],
    ["a finished import, half", "abxy", 0, true],
    ["a finished import, one row of two", "ax", 0, false],
    ["an import that is not finished, any row", "abcde", 1, true],
    ["an import that is not finished, one row of two", "ax", 1, true],
  ])("refuses rows of %s", async (_what, letters, isUnfinished, expected) => {
    const { database, comparison } = await compare("", [["ab", "aa"]]);
    expect(comparison).toBeUndefined();
    database.run("UPDATE imports SET isFinished = ?", 1 - isUnfinished);
    database.exec("DELETE FROM temp.input; DROP TABLE temp.input");
    stageRows(database, petsOf(letters));
    const known = compareRows(database, undefined, place);
    expect(known?.isUnfinished).toBe(isUnfinished);
    expect(known && isProbablyAdded(known)).toBe(expected);
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
      { numRuns: 40 },
    );
  });
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
