import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { journalFile, readJournal } from "../../../src/imports/journal/read.ts";
import { newPlace, open } from "../support/journals.ts";

describe("readJournal", () => {
  it("returns undefined if there is no journal, and creates nothing", () => {
    const place = newPlace();
    expect(readJournal(place)).toBeUndefined();
    expect(existsSync(place.folder)).toBe(false);
    mkdirSync(place.folder, { recursive: true });
    writeFileSync(journalFile(place), "pets-bulk-jou");
    expect(readJournal(place)).toBeUndefined();
    expect(readFileSync(journalFile(place), "latin1")).toBe("pets-bulk-jou");
  });

  it("returns what the journal says", () => {
    const place = newPlace(1);
    const journal = open(place);
    journal.recordSend(0);
    journal.finish();
    const found = readJournal(place);
    expect(found).toMatchObject({ file: journal.file, isFinished: true });
    expect([found?.state(0), found?.counts]).toEqual(["sent", journal.counts]);
  });
});
