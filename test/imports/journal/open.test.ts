import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { journalName } from "../../../src/imports/journal/open.ts";
import { journalFile, readJournal } from "../../../src/imports/journal/read.ts";
import { failureOf } from "../../support/command/failure.ts";
import { name } from "../support/journal-records.ts";
import { newPlace, open, statesOf } from "../support/journals.ts";

const openFiles = (): number =>
  existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0;

const modeOf = (file: string): number => statSync(file).mode & 0o777;

describe("a journal", () => {
  it("is readable only by its owner", () => {
    const place = newPlace();
    const { file } = open(place);
    expect(file).toBe(path.join(place.folder, `${name}.journal`));
    expect(modeOf(file)).toBe(0o600);
    for (const folder of [place.folder, path.dirname(place.folder)])
      expect(modeOf(folder)).toBe(0o700);
    for (const entry of readdirSync(place.folder))
      expect(modeOf(path.join(place.folder, entry))).toBe(0o600);
  });

  it("gets a narrower mode if others may read it", () => {
    const place = newPlace();
    open(place).close();
    chmodSync(journalFile(place), 0o644);
    chmodSync(place.folder, 0o755);
    open(place);
    expect([modeOf(journalFile(place)), modeOf(place.folder)]).toEqual([0o600, 0o700]);
  });
});

describe("a journal that is truncated at any byte", () => {
  it("is resumed", { timeout: 60_000 }, () => {
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

describe("a journal that can't be opened", () => {
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
});

describe("a damaged journal", () => {
  it.each([
    ["a changed byte", (bytes: Buffer) => bytes.fill("x", 120, 121)],
    ["a part of zeros", (bytes: Buffer) => bytes.fill(0, 10, 20)],
    ["a later version", (bytes: Buffer) => bytes.fill("9", 18, 19)],
    ["bytes of something else", (bytes: Buffer) => bytes.fill(0xff)],
  ])("with %s is rejected, unchanged, and not locked", (_, harm) => {
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

  it("may be a copy of the journal of another input", () => {
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

  it("is the same for a base URL with and without a slash, but for no other", () => {
    const names = ["https://a.example/v1", "https://a.example", "https://b.example/v1"].map((url) =>
      nameOf(url),
    );
    expect(new Set(names).size).toBe(3);
    expect(nameOf("https://A.example:443/v1/")).toBe(names[0]);
    expect(nameOf("https://a.example/v1", "cd".repeat(32))).not.toBe(names[0]);
    for (const each of names) expect(each).toMatch(/^[0-9a-f]{32}$/);
  });
});
