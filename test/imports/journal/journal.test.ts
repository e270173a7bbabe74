import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { journalFile, readJournal } from "../../../src/imports/journal/read.ts";
import { failureOf } from "../../support/command/failure.ts";
import { newPlace, open, statesOf } from "../support/journals.ts";

describe("a journal", () => {
  it("writes each record at once, and is resumed from them", () => {
    const place = newPlace();
    const first = open(place);
    first.recordSend(0);
    expect(readFileSync(first.file, "latin1")).toMatch(/\nsend 0 [0-9a-f]{8}\n$/);
    first.recordOutcome(0, "added", -9223372036854775808n);
    expect(readFileSync(first.file, "latin1")).toMatch(
      /\nadded 0 -9223372036854775808 [0-9a-f]{8}\n$/,
    );
    first.recordSend(1);
    first.recordRefused(1);
    first.recordSend(2);
    first.recordOutcome(2, "rejected");
    first.recordSend(3);
    first.recordOutcome(3, "unknown");
    first.recordSend(4);
    const known = "aurusuuuuu";
    expect(statesOf(first)).toBe(known);
    first.close();
    const second = open(place);
    expect(statesOf(second)).toBe(known);
    expect(second.counts).toEqual({
      unsent: 6,
      sent: 1,
      added: 1,
      rejected: 1,
      unknown: 1,
      known: 0,
    });
    second.recordSend(1);
    second.recordOutcome(1, "added", 7n);
    second.close();
    expect(statesOf(open(place))).toBe("aarusuuuuu");
  });

  it("keeps a row unknown if only its second send was refused", () => {
    const place = newPlace();
    const journal = open(place);
    for (const row of [0, 1]) journal.recordSend(row);
    journal.recordOutcome(0, "unknown");
    journal.close();
    const later = open(place);
    for (const row of [0, 1, 2]) later.recordSend(row);
    for (const row of [0, 1, 2]) later.recordRefused(row);
    expect([0, 1, 2].map((row) => later.state(row))).toEqual(["unknown", "unknown", "unsent"]);
  });

  it("refuses to send a row that was added or rejected", () => {
    const journal = open(newPlace());
    for (const row of [0, 1]) journal.recordSend(row);
    journal.recordOutcome(0, "added", 1n);
    journal.recordOutcome(1, "rejected");
    const before = readFileSync(journal.file);
    for (const row of [0, 1, 10, -1, 0.5]) expect(() => journal.recordSend(row)).toThrow(TypeError);
    expect(() => journal.recordOutcome(2, "added", 1n)).toThrow(
      'row 2 is unsent: there is no "added"',
    );
    expect(() => journal.recordRefused(2)).toThrow(TypeError);
    expect(readFileSync(journal.file)).toEqual(before);
  });

  it("is finished until a row is sent again, and can be restarted", () => {
    const place = newPlace(2);
    const journal = open(place);
    for (const row of [0, 1]) journal.recordSend(row);
    journal.recordOutcome(0, "added", 1n);
    journal.recordOutcome(1, "unknown");
    expect(journal.isFinished).toBe(false);
    journal.finish();
    journal.close();
    const finished = open(place);
    expect(finished.isFinished).toBe(true);
    finished.recordSend(1);
    expect(finished.isFinished).toBe(false);
    finished.close();
    const goesOn = open(place);
    expect([goesOn.isFinished, statesOf(goesOn, 2)]).toEqual([false, "as"]);
    goesOn.finish();
    goesOn.restart();
    expect([goesOn.isFinished, statesOf(goesOn, 2)]).toEqual([false, "uu"]);
    goesOn.close();
    const anew = open(place);
    expect([anew.isFinished, statesOf(anew, 2)]).toEqual([false, "uu"]);
  });

  it("knows whether the run used another key", () => {
    const place = newPlace();
    const other = { ...place, key: "0".repeat(32) };
    const journal = open(place);
    expect(journal.keyChanged).toBe(false);
    journal.close();
    const second = open(other);
    expect(second.keyChanged).toBe(true);
    second.restart();
    second.close();
    const third = open(other);
    expect(third.keyChanged).toBe(false);
    third.close();
    expect(open(place).keyChanged).toBe(true);
  });

  it("is locked against a second run, which may still read it", () => {
    const place = newPlace();
    const journal = open(place);
    journal.recordSend(3);
    const failure = failureOf(() => open(place));
    expect(failure).toMatchObject({ kind: "usage", exitCode: 2 });
    expect(failure.message).toContain(journal.file);
    expect(readJournal(place)?.state(3)).toBe("sent");
    // The refused run did not release the lock.
    expect(failureOf(() => open(place)).kind).toBe("usage");
    journal.close();
    expect(open(place).state(3)).toBe("sent");
  });

  it.each([
    ["a path", "/home/me/shelter.csv"],
    ["none", ""],
    ["white space", "a b\nc\u202e"],
    ["emoji", "🐶".repeat(99)],
    ["half a character", "\ud800"],
    ["great length", "x".repeat(5000)],
  ])("accepts any input name: %s", (_, input) => {
    const place = newPlace();
    open(place, { input }).close();
    expect(readFileSync(journalFile(place), "latin1")).toMatch(/^[ -~]+\n$/);
    expect(open(place).state(0)).toBe("unsent");
  });

  it("records nothing once it is closed, and can be closed twice", () => {
    const journal = open(newPlace());
    journal.recordSend(0);
    journal.close();
    journal.close();
    expect(failureOf(() => journal.recordSend(1)).kind).toBe("io");
    expect(failureOf(() => journal.recordOutcome(0, "unknown")).kind).toBe("io");
  });

  it("is not finished while a row is unsent", () => {
    const journal = open(newPlace(1));
    expect(() => journal.finish()).toThrow("1 unsent rows");
    expect(journal.isFinished).toBe(false);
  });
});

describe("a journal of rows that other files added", () => {
  it("keeps its store and its marks", () => {
    const place = newPlace();
    const first = open(place);
    first.recordStore("store-1");
    first.markRows([0, 1, 2, 5], "known");
    first.markRows([3], "accepted");
    first.recordSend(3);
    first.recordRefused(3);
    first.close();
    const second = open(place);
    expect(second.storeId).toBe("store-1");
    expect(statesOf(second)).toBe("kkkuukuuuu");
    expect([2, 3, 4].map((row) => second.isMarked(row))).toEqual([true, true, false]);
    expect(() => second.recordSend(0)).toThrow(TypeError);
    second.restart();
    expect(second.counts).toMatchObject({ unsent: 10, known: 0 });
    expect(second.isMarked(3)).toBe(false);
  });

  it("settles a row in doubt, and only that", () => {
    const journal = open(newPlace());
    for (const row of [0, 1]) journal.recordSend(row);
    journal.recordOutcome(1, "unknown");
    journal.recordFound(0, 7n);
    journal.recordAbsent(1);
    expect(statesOf(journal).slice(0, 3)).toBe("auu");
    expect(() => journal.recordFound(2, 8n)).toThrow(TypeError);
    expect(() => journal.recordAbsent(0)).toThrow(TypeError);
  });
});
