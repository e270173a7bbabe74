import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JournalRecord } from "../../../src/imports/journal/codec.ts";
import {
  type JournalIdentity,
  Replay,
  type Replayed,
} from "../../../src/imports/journal/replay.ts";
import { failureOf } from "../../support/command/failure.ts";
import {
  begin,
  eventsAfter,
  expected,
  journal,
  key,
  rowCount,
  statesAfter,
  written,
} from "../support/journal-records.ts";

/** Replays `bytes` in chunks of these sizes, in turn. */
function replay(
  bytes: Buffer,
  sizes: readonly number[] = [1 << 20],
  of: JournalIdentity = expected,
): Replayed | undefined {
  const whole = new Replay(of);
  for (let at = 0, n = 0; at < bytes.length; n += 1) {
    const size = sizes[n % sizes.length] ?? 1;
    whole.feed(bytes.subarray(at, at + size));
    at += size;
  }
  return whole.end();
}

const states = (found: Replayed | undefined) =>
  Array.from({ length: rowCount }, (_, row) => found?.rows.state(row));

const unsentRows = Array.from({ length: rowCount }, () => undefined);

/** Returns how many records end within the first `length` bytes; the line end may be missing. */
const wholeWithin = (ends: readonly number[], length: number): number =>
  ends.filter((end) => end - 1 <= length).length;

const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 });

describe("a replayed journal", () => {
  it("has the state of its records, however it is split into chunks", () => {
    fc.assert(
      fc.property(journal, sizes, (records, chunks) => {
        const { bytes } = written(records);
        const found = replay(bytes, chunks);
        expect(states(found)).toEqual(statesAfter(records, records.length));
        const sum = Object.values(found?.rows.counts ?? {}).reduce((all, one) => all + one, 0);
        expect(sum).toBe(rowCount);
        expect(found).toMatchObject({ length: bytes.length, missingNewline: false });
        const lastKey = records.findLast((record) => "key" in record);
        expect(found?.key).toBe(lastKey && "key" in lastKey && lastKey.key);
        expect(found?.isFinished).toBe(records.at(-1)?.kind === "finished" || isFinished(records));
      }),
    );
  });

  it("has the state of its complete records if cut at any byte, and no row that may have been sent is unsent", () => {
    fc.assert(
      fc.property(journal, sizes, (records, chunks) => {
        const { bytes, ends } = written(records);
        for (let length = 0; length <= bytes.length; length += 1) {
          const found = replay(bytes.subarray(0, length), chunks);
          const count = wholeWithin(ends, length);
          expect(states(found)).toEqual(count === 0 ? unsentRows : statesAfter(records, count));
          const inDoubt = rowsInDoubt(records, count).map((row) => found?.rows.state(row));
          expect(inDoubt).not.toContain("unsent");
          const end = ends[count - 1];
          expect(found?.length).toBe(end && Math.min(end, length));
          expect(found?.missingNewline).toBe(end && end > length);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("has the state of its complete records if zeros replace the rest", () => {
    fc.assert(
      fc.property(journal, fc.nat(), fc.nat(10_000), sizes, (records, at, zeros, chunks) => {
        const { bytes, ends } = written(records);
        const length = at % (bytes.length + 1);
        const file = Buffer.concat([bytes.subarray(0, length), Buffer.alloc(zeros)]);
        const count = wholeWithin(ends, length);
        const found = replay(file, chunks);
        expect(states(found)).toEqual(count === 0 ? unsentRows : statesAfter(records, count));
      }),
    );
  });

  it("is refused if any byte has changed", () => {
    fc.assert(
      fc.property(journal, fc.nat(), fc.integer({ min: 1, max: 255 }), (records, at, flip) => {
        const { bytes } = written(records);
        const place = at % bytes.length;
        bytes[place] = (bytes[place] ?? 0) ^ flip;
        // A power loss may leave a zero instead of the last line end: the record is complete.
        fc.pre(place < bytes.length - 1 || bytes[place] !== 0);
        const failure = failureOf(() => replay(bytes));
        expect(failure).toMatchObject({ kind: "usage", exitCode: 2 });
        expect(failure.message).toContain(expected.file);
      }),
      { numRuns: 2000 },
    );
  });

  it("is refused if a record is missing, repeated or moved", () => {
    fc.assert(
      fc.property(journal, fc.nat(), fc.nat(), (records, from, to) => {
        fc.pre(records.length > 2);
        const { bytes, ends } = written(records);
        const lines = ends.map((end, n) => bytes.subarray(ends[n - 1] ?? 0, end));
        const taken = from % (lines.length - 1);
        const missing = lines.toSpliced(taken, 1);
        expect(failureOf(() => replay(Buffer.concat(missing))).kind).toBe("usage");
        const line = lines[taken] ?? Buffer.alloc(0);
        const doubled = lines.toSpliced(to % (lines.length + 1), 0, line);
        expect(failureOf(() => replay(Buffer.concat(doubled))).kind).toBe("usage");
      }),
    );
  });

  const good = written([begin, { kind: "send", row: 0 }]).bytes.toString("latin1");

  it.each([
    ["a later version", good.replace("journal 2", "journal 3"), "is of version 3"],
    ["a later version, cut", "pets-bulk-journal 12 what follows", "is of version 12"],
    ["a later version in a long line", `pets-bulk-journal 3 ${"x".repeat(9999)}`, "of version 3"],
    ["an old version", good.replace("journal 2", "journal 0"), "is damaged in line 1"],
    ["other text", "name,categoryId\nRex,1\n", "is damaged in line 1"],
    ["a long line of other text", "x".repeat(10_000), "is damaged in line 1"],
    ["an empty line", "\n", "is damaged in line 1"],
    ["a line end after it", `${good}\n`, "is damaged in line 3"],
    ["a space after it", `${good} `, "is damaged in line 3"],
    ["zeros and more after it", `${good}\0\0x`, "is damaged in line 3"],
    ["half a record of no kind", `${good}sent`, "is damaged in line 3"],
    ["half a first record after it", `${good}pets-bulk`, "is damaged in line 3"],
    ["half a record first", "send 1", "is damaged in line 1"],
    ["a line end that became a digit", `${good.slice(0, -1)}0`, "is damaged in line 2"],
    ["a line end that became a space", `${good.slice(0, -1)} `, "is damaged in line 2"],
    ["a carriage return", good.replaceAll("\n", "\r\n"), "is damaged in line 1"],
  ])("with %s is refused", (_, text, message) => {
    const failure = failureOf(() => replay(Buffer.from(text, "latin1"), [100]));
    expect(failure.kind).toBe("usage");
    expect(failure.message).toContain(message);
  });

  it.each<readonly [string, readonly JournalRecord[]]>([
    ["a row that does not exist", [begin, { kind: "send", row: rowCount }]],
    ["an end without a send", [begin, { kind: "added", row: 0, id: 1n }]],
    ["a refusal without a send", [begin, { kind: "refused", row: 0 }]],
    [
      "a send of what was rejected",
      [begin, { kind: "rejected", row: 0 }, { kind: "send", row: 0 }],
    ],
    ["a second beginning", [begin, begin]],
    ["no beginning", [{ kind: "send", row: 0 }]],
  ])("with %s is refused", (_, records) => {
    expect(failureOf(() => replay(written(records).bytes)).message).toContain("is damaged in line");
  });

  it.each<readonly [string, Partial<JournalIdentity>]>([
    ["another name", { name: key }],
    ["another number of rows", { rows: rowCount + 1 }],
  ])("with %s belongs to another input", (_, other) => {
    const act = () => replay(written([begin]).bytes, [1000], { ...expected, ...other });
    expect(failureOf(act)).toMatchObject({ kind: "usage" });
    expect(failureOf(act).message).toContain("another input");
  });
});

/** Returns whether the last record after the first one ends the run. */
function isFinished(records: readonly JournalRecord[]): boolean {
  return records.findLast(({ kind }) => kind !== "begin")?.kind === "finished";
}

/** Returns the rows with a send that was not refused: they may have been sent. */
function rowsInDoubt(records: readonly JournalRecord[], count: number): readonly number[] {
  return eventsAfter(records, count).flatMap((events, row) => {
    const sends = events.filter((event) => event === "send").length;
    return sends > events.filter((event) => event === "refused").length ? [row] : [];
  });
}

/** Written by an earlier version, whose source called "refused" "back", as the file still does. */
const earlier = [
  "pets-bulk-journal 1 4 0123456789abcdef0123456789abcdef feedbeeffeedbeeffeedbeeffeedbeef my%20shelter.csv 5d25cb19",
  "send 0 0348b945",
  "added 0 7 b76e01ed",
  "send 1 b189a8ec",
  "back 1 8cfb6b83",
  "send 2 6b5ce377",
  "unknown 2 cf584dfd",
  "send 2 39f7d010",
  "back 2 dac6d5c2",
  "send 3 1dd8ce23",
];

it("loads a journal of an earlier version", () => {
  const found = replay(Buffer.from(`${earlier.join("\n")}\n`, "latin1"));
  expect(states(found)).toEqual(["added", "unsent", "unknown", "sent"]);
  expect(found).toMatchObject({ key, isFinished: false, missingNewline: false });
});
