import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  countEarlierRows,
  type EarlierRun,
  readAddedIds,
  removeForgotten,
} from "../../../src/imports/known/earlier-runs.ts";
import { RowIndex } from "../../../src/imports/known/row-index.ts";
import { tryLock } from "../../../src/platform/sqlite-lock.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { fingerprintsOf, nameOf, type PastRun, run, writeRun } from "../support/runs.ts";

const now = Date.UTC(2026, 10, 20);
const day = 24 * 3600 * 1000;
const ownDigit = "0";

type PastRunIn = Omit<PastRun, "folder">;
const otherStore = run("1", "ab", "aa", { suffix: "b" });

/** Makes a folder with the journals of these runs. */
function folderWith(...runs: readonly PastRunIn[]): string {
  const folder = path.join(temporaryFolder(), "bulk");
  for (const each of runs) writeRun({ folder, at: now, ...each });
  return folder;
}

const placeOf = (folder: string) => ({ folder, ownName: nameOf(ownDigit), now });

/** Counts in the rows `a` to `f`; returns each counted row, as often as it was counted, and the matches. */
function count(
  folder: string,
  isCounted: (run: EarlierRun) => boolean = () => true,
  ...wanted: [Parameters<typeof countEarlierRows>[3]] | []
) {
  const index = new RowIndex(fingerprintsOf("abcdef"));
  const found = countEarlierRows(placeOf(folder), index, isCounted, ...wanted);
  const rows = Array.from("abcdef", (name, row) => name.repeat(index.countOf(row))).join("");
  return { rows, matches: found.map((match) => `${match.run.input} ${match.rows}`) };
}

describe("countEarlierRows", () => {
  it.each<[string, readonly PastRunIn[], string, string]>([
    ["nothing without a folder", [], "", ""],
    ["what was added or may have been", [run("1", "abcdef", "asurk.")], "abc", "1.csv 3"],
    ["each of equal rows", [run("1", "aabx", "aaaa")], "aab", "1.csv 3"],
    ["several runs", [run("1", "ab", "aa"), run("2", "ac", "aa")], "aabc", "1.csv 2,2.csv 2"],
    ["each store of an input", [run("1", "ab", "a."), otherStore], "aab", "1.csv 1,1.csv 2"],
    [
      "what was sent before all was sent again",
      [run("1", "ab", "a.", { earlierEnds: "aa" })],
      "aab",
      "1.csv 3",
    ],
    ["no run without rows in common", [run("1", "xyz", "aaa")], "", ""],
    ["not the input itself", [run(ownDigit, "ab", "aa")], "", ""],
    ["no run without a file of rows", [run("1", "ab", "aa", { hasNoRows: true })], "", ""],
  ])("counts %s", (_what, runs, rows, matches) => {
    const found = count(folderWith(...runs));
    expect([found.rows, found.matches.toSorted().join()]).toEqual([rows, matches]);
  });

  it("asks for each run whether it counts, with all its facts", () => {
    const known = { storeId: "S", key: "c".repeat(32), address: "d".repeat(32), at: now - day };
    const folder = folderWith(run("1", "a", "a", known), run("2", "b", "a"));
    const seen: EarlierRun[] = [];
    const isCounted = (each: EarlierRun): boolean => seen.push(each) > 0 && each.storeId === "S";
    expect(count(folder, isCounted)).toEqual({ rows: "a", matches: ["1.csv 1"] });
    expect(seen).toContainEqual({ input: "1.csv", ...known });
    expect(seen.find(({ input }) => input === "2.csv")?.storeId).toBeUndefined();
  });

  it("counts rows in the requested states", () => {
    const folder = folderWith(run("1", "abcd", "asur"));
    expect(count(folder, undefined, (state) => state === "rejected").rows).toBe("d");
  });

  it.each([
    ["finished 90 days ago", true, 90, "a"],
    ["finished longer ago", true, 91, ""],
    ["never finished", false, 900, "a"],
  ])("of a run %s (%s, %i days): %j", (_what, isFinished, days, rows) => {
    const folder = folderWith(run("1", "a", "a", { isFinished, at: now - days * day }));
    expect(count(folder).rows).toBe(rows);
  });
});

it("reads the ids that the counted runs added, including the input's own", () => {
  const folder = folderWith(
    run(ownDigit, "ab", "a.", { storeId: "S" }),
    run("1", "abc", "ura", { storeId: "S" }),
    run("2", "abcde", "....a", { storeId: "T" }),
    run("3", "abcdef", ".....a", { storeId: "S", hasNoRows: true }),
  );
  const ids: bigint[] = [];
  const addresses: string[] = [];
  const isCounted = ({ storeId, address }: Pick<EarlierRun, "storeId" | "address">): boolean => {
    addresses.push(address);
    return storeId === "S";
  };
  readAddedIds(folder, isCounted, (id) => ids.push(id));
  expect(new Set(ids)).toEqual(new Set([1n, 3n, 6n]));
  expect(addresses.toSorted()).toEqual(["", ...Array<string>(3).fill("0".repeat(32))]);
});

/** Returns the remaining files of journals and rows: the last digit of the name, and what follows. */
const left = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => !name.endsWith(".lock"))
    .map((name) => name.slice(31))
    .toSorted();

describe("removeForgotten", () => {
  const oldRun = run("1", "a", "a", { isFinished: true, at: now - 91 * day });
  it.each<[string, PastRunIn, boolean]>([
    ["a finished one that is old", oldRun, true],
    ["an old one that never finished", { ...oldRun, ends: "u", isFinished: false }, false],
    ["a finished one of 90 days ago", { ...oldRun, at: now - 90 * day }, false],
  ])("of %s", (_what, past, isRemoved) => {
    const folder = folderWith(past);
    removeForgotten(placeOf(folder));
    expect(left(folder)).toEqual(isRemoved ? [] : ["1.journal", "1.rows"]);
  });

  it.each([
    ["leaves a run", "1", false],
    ["removes its own", ownDigit, true],
  ])("%s whose lock is held", (_what, digit, isRemoved) => {
    const folder = folderWith({ ...oldRun, digit });
    const lock = tryLock(path.join(folder, `${nameOf(digit)}.lock`));
    onTestFinished(() => lock?.release());
    removeForgotten(placeOf(folder));
    expect(left(folder)).toEqual(isRemoved ? [] : ["1.journal", "1.rows"]);
  });

  it("keeps the rows for another journal of the same input", () => {
    const folder = folderWith(oldRun, { ...oldRun, suffix: "b", at: now });
    removeForgotten(placeOf(folder));
    expect(left(folder)).toEqual(["1-b.journal", "1.rows"]);
  });
});
