import { readdirSync, utimesSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openJournal } from "../../../src/imports/journal/open.ts";
import { removeForgotten } from "../../../src/imports/known/earlier-runs.ts";
import { Fingerprints } from "../../../src/imports/known/fingerprints.ts";
import { rowsFile, writeRowsFile } from "../../../src/imports/known/rows-file.ts";
import { tryLock } from "../../../src/platform/sqlite-lock.ts";
import { temporaryFolder } from "../../support/program/program.ts";

const dayMs = 24 * 3600_000;
const now = Date.UTC(2026, 10, 21);
const [first, second] = ["1".repeat(32), "2".repeat(32)] as const;

/** Records a run without animals, and whether it finished. */
function recordRun(folder: string, name: string, isFinished: boolean): void {
  const options = { folder, name, rows: isFinished ? 0 : 1, key: name, input: "a.csv" };
  const journal = openJournal({ ...options, limits: () => ({}) });
  writeRowsFile(rowsFile(folder, name), { address: name, input: "a.csv" }, new Fingerprints());
  if (isFinished) journal.finish();
  journal.close();
}

function makeOld(folder: string, days: number, start = ""): void {
  const at = new Date(now - days * dayMs);
  for (const name of readdirSync(folder))
    if (name.startsWith(start)) utimesSync(path.join(folder, name), at, at);
}

/** Returns the suffixes of the remaining files, by name. */
const left = (folder: string): string =>
  readdirSync(folder)
    .map((name) => `${name[0]}${path.extname(name)}`)
    .toSorted()
    .join(" ");

const all = "1.journal 1.lock 1.rows";

describe("removeForgotten, with locks", () => {
  it.each([
    ["nothing of a run within 90 days", true, 89, first.replace("1", "3"), all],
    ["all files of a finished run after that", true, 91, second, ""],
    ["nothing of an unfinished run", false, 91, second, all],
    ["not the lock of the input itself", true, 91, first, "1.lock"],
  ])("removes %s", (_what, isFinished, days, ownName, expected) => {
    const folder = temporaryFolder();
    recordRun(folder, first, isFinished);
    makeOld(folder, days);
    removeForgotten({ folder, ownName, now });
    expect(left(folder)).toBe(expected);
  });

  it.each([
    [91, ""],
    [89, "1.lock"],
  ])("removes the lock of a run that sent nothing %i days ago, and keeps %j", (days, expected) => {
    const folder = temporaryFolder();
    tryLock(path.join(folder, `${first}.lock`))?.release();
    makeOld(folder, days);
    removeForgotten({ folder, ownName: second, now });
    expect(left(folder)).toBe(expected);
  });

  it("keeps a lock that a process holds", () => {
    const folder = temporaryFolder();
    recordRun(folder, first, true);
    const lock = tryLock(path.join(folder, `${first}.lock`));
    const other = tryLock(path.join(folder, `${second}.lock`));
    makeOld(folder, 91);
    removeForgotten({ folder, ownName: "3".repeat(32), now });
    expect(left(folder)).toBe(`${all} 2.lock`);
    lock?.release();
    other?.release();
    removeForgotten({ folder, ownName: "3".repeat(32), now });
    expect(left(folder)).toBe("");
  });
});
