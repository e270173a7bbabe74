import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { journalName } from "../../../src/bulk/journal/open.ts";
import { journalFile, readJournal } from "../../../src/bulk/journal/read.ts";
import { failureOf } from "../../support/failure.ts";
import { name } from "../support/journal-records.ts";
import { newPlace, open, statesOf } from "../support/journals.ts";

/** How many files this process has open, where the system tells. */
const openFiles = (): number =>
  existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0;

const modeOf = (file: string): number => statSync(file).mode & 0o777;

describe("a journal", () => {
  it("is made for its owner alone", () => {
    const place = newPlace();
    const { file } = open(place);
    expect(file).toBe(path.join(place.folder, `${name}.journal`));
    expect(modeOf(file)).toBe(0o600);
    for (const folder of [place.folder, path.dirname(place.folder)])
      expect(modeOf(folder)).toBe(0o700);
    for (const entry of readdirSync(place.folder))
      expect(modeOf(path.join(place.folder, entry))).toBe(0o600);
  });

  it("is narrowed where others may read it", () => {
    const place = newPlace();
    open(place).close();
    chmodSync(journalFile(place), 0o644);
    chmodSync(place.folder, 0o755);
    open(place);
    expect([modeOf(journalFile(place)), modeOf(place.folder)]).toEqual([0o600, 0o700]);
  });

  it("has each record in the file at once, and goes on with it", () => {
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
    expect(second.counts).toEqual({ unsent: 6, sent: 1, added: 1, rejected: 1, unknown: 1 });
    second.recordSend(1);
    second.recordOutcome(1, "added", 7n);
    second.close();
    expect(statesOf(open(place))).toBe("aarusuuuuu");
  });

  it("leaves in doubt a row whose second send alone was refused", () => {
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

  it("lets nobody send a row that was added or rejected", () => {
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

  it("is finished until something is sent again, and can be started again", () => {
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

  it("tells that the run was begun with another key", () => {
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

  it("keeps a second run out, which may still look", () => {
    const place = newPlace();
    const journal = open(place);
    journal.recordSend(3);
    const failure = failureOf(() => open(place));
    expect(failure).toMatchObject({ kind: "usage", exitCode: 2 });
    expect(failure.message).toContain(journal.file);
    expect(readJournal(place)?.state(3)).toBe("sent");
    // What the refused one did has not let anybody else in.
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
  ])("is of an input of any name: %s", (_, input) => {
    const place = newPlace();
    open(place, { input }).close();
    expect(readFileSync(journalFile(place), "latin1")).toMatch(/^[ -~]+\n$/);
    expect(open(place).state(0)).toBe("unsent");
  });

  it("takes nothing once it is closed, and can be closed twice", () => {
    const journal = open(newPlace());
    journal.recordSend(0);
    journal.close();
    journal.close();
    expect(failureOf(() => journal.recordSend(1)).kind).toBe("io");
    expect(failureOf(() => journal.recordOutcome(0, "unknown")).kind).toBe("io");
  });

  it("is not finished while a row is unsent", () => {
    const journal = open(newPlace(1));
    expect(() => journal.finish()).toThrow("1 rows are unsent");
    expect(journal.isFinished).toBe(false);
  });
});

describe("a journal that is cut at any byte", () => {
  it("is gone on with", { timeout: 60_000 }, () => {
    const place = newPlace(3);
    const journal = open(place);
    journal.recordSend(0);
    journal.recordOutcome(0, "added", 12n);
    journal.recordSend(1);
    journal.close();
    const whole = readFileSync(journal.file);
    const ends = [...whole.entries()].filter(([, byte]) => byte === 10).map(([at]) => at);
    for (let length = 0; length <= whole.length; length += 1) {
      writeFileSync(journal.file, whole);
      truncateSync(journal.file, length);
      if (length % 3 === 0) appendFileSync(journal.file, Buffer.alloc(length));
      const known = ["uuu", "uuu", "suu", "auu", "asu"][ends.filter((at) => at <= length).length];
      expect(statesOf(readJournal(place) ?? { state: () => "u" }, 3)).toBe(known);
      const next = open(place);
      expect(statesOf(next, 3)).toBe(known);
      next.recordSend(2);
      next.close();
      expect(statesOf(readJournal(place) ?? next, 3)).toBe(`${known?.slice(0, 2)}s`);
      expect(readFileSync(journal.file).includes(0)).toBe(false);
    }
  });
});

describe("a look at a journal", () => {
  it("finds none, and makes nothing", () => {
    const place = newPlace();
    expect(readJournal(place)).toBeUndefined();
    expect(existsSync(place.folder)).toBe(false);
    mkdirSync(place.folder, { recursive: true });
    writeFileSync(journalFile(place), "pets-bulk-jou");
    expect(readJournal(place)).toBeUndefined();
    expect(readFileSync(journalFile(place), "latin1")).toBe("pets-bulk-jou");
  });

  it("sees what is there", () => {
    const place = newPlace(1);
    const journal = open(place);
    journal.recordSend(0);
    journal.finish();
    const found = readJournal(place);
    expect(found).toMatchObject({ file: journal.file, isFinished: true });
    expect([found?.state(0), found?.counts]).toEqual(["sent", journal.counts]);
  });
});

describe("a journal that can't be kept", () => {
  it.each([
    ["is a folder", (file: string) => mkdirSync(file)],
    ["is a link", (file: string) => symlinkSync(`${file}.elsewhere`, file)],
    ["is a device", (file: string) => symlinkSync("/dev/full", file)],
    ["is a pipe", (file: string) => execFileSync("mkfifo", [file])],
  ])("%s", (_, make) => {
    const place = newPlace();
    mkdirSync(place.folder, { recursive: true });
    make(journalFile(place));
    const before = openFiles();
    const failure = failureOf(() => open(place));
    expect(openFiles()).toBe(before);
    expect(failure).toMatchObject({ kind: "io", exitCode: 1 });
    expect(failure.message).toContain(journalFile(place));
    expect(existsSync(`${journalFile(place)}.elsewhere`)).toBe(false);
  });

  it("has no folder", () => {
    const place = newPlace();
    const file = path.dirname(path.dirname(place.folder));
    writeFileSync(file, "");
    const failure = failureOf(() => open(place));
    expect(failure.kind).toBe("io");
    expect(failure.message).toContain(journalFile(place));
  });

  it("can't be locked", () => {
    const place = newPlace();
    mkdirSync(place.folder, { recursive: true });
    writeFileSync(path.join(place.folder, `${name}.lock`), "no database ".repeat(100));
    const failure = failureOf(() => open(place));
    expect(failure.kind).toBe("io");
    expect(failure.message).toContain(`${name}.lock`);
    expect(existsSync(journalFile(place))).toBe(false);
  });

  it.each([
    ["removed", (file: string) => rmSync(file)],
    ["replaced", (file: string) => replace(file)],
    ["moved", (file: string) => renameSync(file, `${file}.old`)],
    ["cut", (file: string) => truncateSync(file, 20)],
    ["added to", (file: string) => appendFileSync(file, "x")],
  ])("was %s during the run", (_, harm) => {
    const journal = open(newPlace());
    journal.recordSend(0);
    harm(journal.file);
    const failure = failureOf(() => journal.recordSend(1));
    expect(failure).toMatchObject({ kind: "io", exitCode: 1, facts: { retryable: false } });
    expect(failure.message).toContain(journal.file);
    expect(journal.state(1)).toBe("unsent");
  });

  it("was moved with its folder, in the midst of many sends and at the end", () => {
    const rows = 100;
    const place = newPlace(rows);
    const journal = open(place);
    const sendAll = () => {
      for (let row = 0; row < rows; row += 1)
        if (journal.state(row) === "unsent") journal.recordSend(row);
    };
    for (let row = 0; row < rows / 2; row += 1) journal.recordSend(row);
    renameSync(place.folder, `${place.folder}.old`);
    expect(failureOf(sendAll).kind).toBe("io");
    expect(journal.counts.unsent).toBeGreaterThan(rows / 4);
    renameSync(`${place.folder}.old`, place.folder);
    sendAll();
    renameSync(place.folder, `${place.folder}.old`);
    expect(failureOf(() => journal.finish()).kind).toBe("io");
    expect(journal.isFinished).toBe(false);
  });
});

describe("a damaged journal", () => {
  it.each([
    ["a changed byte", (bytes: Buffer) => bytes.fill("x", 120, 121)],
    ["a part of zeros", (bytes: Buffer) => bytes.fill(0, 10, 20)],
    ["a later version", (bytes: Buffer) => bytes.fill("9", 18, 19)],
    ["bytes of something else", (bytes: Buffer) => bytes.fill(0xff)],
  ])("with %s stays as it is, and holds nothing", (_, harm) => {
    const place = newPlace();
    const journal = open(place);
    journal.recordSend(0);
    journal.close();
    const bytes = readFileSync(journal.file);
    harm(bytes);
    writeFileSync(journal.file, bytes);
    for (const act of [() => open(place), () => open(place), () => readJournal(place)]) {
      const failure = failureOf(act);
      expect(failure).toMatchObject({ kind: "usage", exitCode: 2 });
      expect(failure.message).toContain(journal.file);
      expect(failure.message).not.toContain("another run");
      expect(failure.hints.length).toBeLessThanOrEqual(2);
    }
    expect(readFileSync(journal.file)).toEqual(bytes);
  });

  it("is one that was copied from another input", () => {
    const place = newPlace();
    open(place).close();
    const other = { ...place, name: "f".repeat(32) };
    copyFileSync(journalFile(place), journalFile(other));
    expect(failureOf(() => open(other))).toMatchObject({ kind: "usage" });
    expect(failureOf(() => open({ ...place, rows: 11 }))).toMatchObject({ kind: "usage" });
  });
});

describe("the name of a journal", () => {
  const content = "ab".repeat(32);
  const nameOf = (base: string, of = content): string => journalName(of, new URL(base));

  it("is the same for a base URL with and without a slash, and no other", () => {
    const names = ["https://a.example/v1", "https://a.example", "https://b.example/v1"].map((url) =>
      nameOf(url),
    );
    expect(new Set(names).size).toBe(3);
    expect(nameOf("https://A.example:443/v1/")).toBe(names[0]);
    expect(nameOf("https://a.example/v1", "cd".repeat(32))).not.toBe(names[0]);
    for (const each of names) expect(each).toMatch(/^[0-9a-f]{32}$/);
  });
});

function replace(file: string): void {
  copyFileSync(file, `${file}.new`);
  renameSync(`${file}.new`, file);
}
