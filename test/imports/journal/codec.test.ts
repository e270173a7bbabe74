import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  encodeLine,
  isTruncatedRecord,
  type JournalRecord,
  otherVersion,
  parseRecord,
} from "../../../src/imports/journal/codec.ts";
import { begin, journal, key, name } from "../support/journal-records.ts";

/** Returns the line of a record without its end. */
const lineOf = (record: JournalRecord, before = 0): string =>
  encodeLine(record, before).text.slice(0, -1);

describe("encodeLine", () => {
  it.each<readonly [JournalRecord, string]>([
    [begin, `pets-bulk-journal 2 4 ${name} ${key} my%20shelter.csv`],
    [{ ...begin, input: "" } as JournalRecord, `pets-bulk-journal 2 4 ${name} ${key} -`],
    [{ kind: "send", row: 0 }, "send 0"],
    [{ kind: "refused", row: 3 }, "back 3"],
    [{ kind: "added", row: 12, id: -(2n ** 63n) }, "added 12 -9223372036854775808"],
    [{ kind: "rejected", row: 1 }, "rejected 1"],
    [{ kind: "unknown", row: 2 }, "unknown 2"],
    [{ kind: "again", key }, `again ${key}`],
    [{ kind: "finished" }, "finished"],
  ])("case %#: the words of the format, a CRC, a line end", (record, words) => {
    const { text } = encodeLine(record, 0);
    expect(text.slice(0, -10)).toBe(words);
    expect(text.slice(-10)).toMatch(/^ [0-9a-f]{8}\n$/);
  });
});

describe("parseRecord", () => {
  it("returns what was encoded, for any journal", () => {
    fc.assert(
      fc.property(journal, (records) => {
        let crc = 0;
        for (const record of records) {
          const line = encodeLine(record, crc);
          const parsed = parseRecord(line.text.slice(0, -1), crc);
          expect(parsed?.crc).toBe(line.crc);
          expect(record).toMatchObject(parsed?.record ?? {});
          expect(parsed?.record.kind).toBe(record.kind);
          crc = line.crc;
        }
      }),
    );
  });

  it.each([
    ["another CRC before it", lineOf({ kind: "send", row: 0 }, 1)],
    ["a changed row", lineOf({ kind: "send", row: 0 }).replace("send 0", "send 1")],
    ["no CRC", "send 0"],
    ["nothing", ""],
    ["another version", lineOf(begin).replace("journal 2", "journal 3")],
  ])("refuses a line with %s", (_what, line) => {
    expect(parseRecord(line, 0)).toBeUndefined();
  });
});

describe("isTruncatedRecord", () => {
  it.each<readonly [string, boolean, boolean]>([
    ["", true, true],
    ["pets-bulk", true, false],
    [lineOf(begin).slice(0, -1), true, false],
    ["sen", false, true],
    ["send 1", false, true],
    ["send 1 0123456", false, true],
    ["back 1", false, true],
    ["refused 1", false, false],
    ["added 1 -", false, true],
    ["finished ", false, true],
    ["sent", false, false],
    ["send x", false, false],
    ["send 1 01234567", false, false],
  ])("%j: as the first %s, later %s", (text, first, later) => {
    expect([isTruncatedRecord(text, true), isTruncatedRecord(text, false)]).toEqual([first, later]);
  });
});

describe("otherVersion", () => {
  it.each([
    ["pets-bulk-journal 1 4", undefined],
    ["pets-bulk-journal 12 4", "12"],
    ["pets-bulk-journal 0 4", undefined],
    ["pets-bulk-journal 2", undefined],
    ["send 2 4", undefined],
  ])("of %j is %j", (text, version) => {
    expect(otherVersion(text)).toBe(version);
  });
});
