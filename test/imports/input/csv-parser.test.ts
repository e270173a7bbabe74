import { describe, expect, it } from "vitest";
import { parseColumnMap } from "../../../src/imports/input/column-map.ts";
import {
  type CsvBatch,
  CsvRecords,
  detectDelimiter,
} from "../../../src/imports/input/csv-parser.ts";

/** Returns the records of a text that comes in these pieces, and its first fault. */
async function parse(...pieces: readonly string[]) {
  const parser = new CsvRecords(",");
  const records: CsvBatch["records"][number][] = [];
  for (const piece of pieces) {
    for await (const batch of parser.push(piece)) {
      records.push(...batch.records);
      if (batch.fault !== undefined) return { records, fault: batch.fault, line: parser.line };
    }
  }
  const { records: last, fault } = await parser.end();
  return { records: [...records, ...last], fault, line: parser.line };
}

describe("CsvRecords", () => {
  it.each<readonly [string, readonly string[], readonly (readonly [number, ...string[]])[]]>([
    ["nothing", [], []],
    [
      "LF",
      ["a,b\nc,d\n"],
      [
        [1, "a", "b"],
        [2, "c", "d"],
      ],
    ],
    [
      "a CRLF in two pieces",
      ["a,b\r", "\nc"],
      [
        [1, "a", "b"],
        [2, "c"],
      ],
    ],
    [
      "CR",
      ["a\rb"],
      [
        [1, "a"],
        [2, "b"],
      ],
    ],
    ["quoted values", ['"a,""b""",c\n'], [[1, 'a,"b"', "c"]]],
    [
      "a value with line ends",
      ['"a\r\nb\n\rc"\nd\n'],
      [
        [1, "a\r\nb\n\rc"],
        [5, "d"],
      ],
    ],
    [
      "values in two pieces",
      ["a", 'b,"c', 'd"\ne'],
      [
        [1, "ab", "cd"],
        [2, "e"],
      ],
    ],
  ])("reads %s", async (_what, pieces, expected) => {
    const { records, fault } = await parse(...pieces);
    expect(fault).toBeUndefined();
    expect(records.map(({ line, cells }) => [line, ...cells])).toEqual(expected);
    const size = records.reduce((sum, record) => sum + record.size, 0);
    expect(size).toBe(Buffer.byteLength(pieces.join("")));
  });

  it.each<readonly [string, RegExp, number]>([
    ['a,b\nc"d",e\n', /^has a quote inside a value/, 2],
    ['a\n"b"c\n', /^has text after a closing quote/, 2],
    ['a\n\n"b\nc', /^begins with a quote that is never closed/, 3],
    [`a\n"${"x".repeat(1024 * 1024)}`, /^must be 1 MiB at most, and may begin with a quote/, 2],
  ])("stops at %.20j", async (text, fault, line) => {
    expect(await parse(text)).toMatchObject({ fault: expect.stringMatching(fault), line });
  });

  it("returns the records that ended before the text was cut off", async () => {
    const parser = new CsvRecords(",");
    for await (const { fault } of parser.push("a\nb\nc,d")) expect(fault).toBeUndefined();
    const { fault } = await parser.finishTruncated();
    expect(fault).toBeUndefined();
    expect(parser.line).toBe(3);
  });
});

describe("detectDelimiter", () => {
  it.each<readonly [string, string | undefined]>([
    ["name,categoryId\n", ","],
    ["name;categoryId\n", ";"],
    ["name\tcategoryId\n", "\t"],
    ['"name";"categoryId"\n', ";"],
    ["\n\r\n ;\nname;categoryId,x,y\n", ";"],
    ["name,a;b;c;d\n", ","],
    ["x;y;z,a\n", ";"],
    ["name\n", ","],
    ["name;categ", undefined],
    ["", undefined],
    [" \n,;\n", undefined],
  ])("of the beginning %j is %j", (text, delimiter) => {
    expect(detectDelimiter(text, { isWhole: false })).toBe(delimiter);
  });

  it.each([
    ["name;categoryId", ";"],
    ["", ","],
    [" \n", ","],
  ])("of the whole text %j is %j", (text, delimiter) => {
    expect(detectDelimiter(text, { isWhole: true })).toBe(delimiter);
  });

  it("counts columns that --map names", () => {
    const columnMap = parseColumnMap(["Tier=name", "Art=category"]);
    const text = "Tier;Art;x,y,z,w\n";
    expect(detectDelimiter(text, { isWhole: false, columnMap })).toBe(";");
  });

  it("needs no more text than the longest row", () => {
    expect(detectDelimiter(`a;${"b".repeat(1024 * 1024)}`, { isWhole: false })).toBe(";");
  });
});
