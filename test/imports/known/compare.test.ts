import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareRows, isMostlyKnown, RowSet } from "../../../src/imports/known/compare.ts";
import { Fingerprints } from "../../../src/imports/known/fingerprints.ts";
import { RowIndex } from "../../../src/imports/known/row-index.ts";
import type { RowState } from "../../../src/imports/types.ts";

function fingerprintsOf(names: readonly string[]): Fingerprints {
  const rows = new Fingerprints();
  for (const name of names) rows.add({ name, categoryId: 1n });
  return rows;
}

const count = (names: readonly string[], name: string): number =>
  names.filter((each) => each === name).length;

/** Compares `file` with what other runs added. */
function compare(file: string, others: string, journal?: Parameters<typeof compareRows>[2]) {
  const index = new RowIndex(fingerprintsOf(file.split("")));
  const counted = fingerprintsOf(others.split(""));
  for (let row = 0; row < counted.length; row += 1) index.count(counted, row);
  const { known, compared } = compareRows(index, file.length, journal);
  return { known: [...known], compared };
}

describe("compareRows", () => {
  it.each([
    ["abc", "", []],
    ["abc", "xyz", []],
    ["abc", "ca", [0, 2]],
    ["aaa", "aa", [0, 1]],
    ["aab", "aaaa", [0, 1]],
    ["", "a", []],
  ])("finds for %j and %j the known rows %j", (file, others, known) => {
    expect(compare(file, others)).toEqual({ known, compared: file.length });
  });

  it.each<readonly [string, string, readonly RowState[], readonly number[], object]>([
    [
      "rows that were sent are not compared",
      "aaa",
      ["added", "unsent", "rejected"],
      [],
      { known: [1], compared: 1 },
    ],
    [
      "a marked row takes the one that it was compared with",
      "aa",
      ["known", "unsent", "unsent"],
      [0],
      { known: [1], compared: 2 },
    ],
    ["also when it is sent", "a", ["unsent", "unsent", "unsent"], [0], { known: [], compared: 2 }],
  ])("%s", (_what, others, states, marked, expected) => {
    const journal = {
      state: (row: number) => states[row] ?? "unsent",
      isMarked: (row: number) => marked.includes(row),
    };
    expect(compare("aaa", others, journal)).toEqual(expected);
  });

  it("makes the store contain the union of all versions of a file, with counts", () => {
    const version = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(version, { maxLength: 6 }), (versions) => {
        const store: string[] = [];
        for (const names of versions) {
          const known = new Set(compare(names.join(""), store.join("")).known);
          store.push(...names.filter((_name, row) => !known.has(row)));
        }
        for (const name of "abcd")
          expect(count(store, name)).toBe(
            Math.max(0, ...versions.map((each) => count(each, name))),
          );
      }),
    );
  });
});

it.each([
  [0, 0, false],
  [1, 1, false],
  [1, 2, false],
  [2, 4, true],
  [2, 5, false],
  [3, 5, true],
])("isMostlyKnown for %d known rows of %d: %s", (known, compared, isMost) => {
  const rows = new RowSet(9);
  for (let row = 0; row < known; row += 1) rows.add(row);
  expect(isMostlyKnown({ known: rows, compared })).toBe(isMost);
});
