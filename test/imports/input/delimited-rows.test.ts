import { describe, expect, it } from "vitest";
import { type DelimitedRecord, DelimitedRows } from "../../../src/imports/input/delimited-rows.ts";
import { int64Rule, statusRule } from "../support/invalid-rows.ts";

const strict = { ignoreUnknown: false };

/** Returns the records of a text with commas, one per line; `size` is that of the line. */
function recordsOf(text: string, firstLine = 1): DelimitedRecord[] {
  return text
    .split("\n")
    .map((line, i) => ({ line: firstLine + i, cells: line.split(","), size: line.length + 1 }));
}

/** Returns what is read from the lines below the header `name,categoryId,status`. */
const rowsOf = (lines: string, options = strict) =>
  new DelimitedRows(options).read(recordsOf(`name,categoryId,status\n${lines}`));

describe("a row", () => {
  it.each([
    ["Rex,1,sold", { name: "Rex", categoryId: 1n, status: "sold" }],
    ["Rex,1,SoLd", { name: "Rex", categoryId: 1n, status: "sold" }],
    ["Rex,1,", { name: "Rex", categoryId: 1n }],
    ["Rex,1", { name: "Rex", categoryId: 1n }],
    [" Rex ,-9223372036854775808", { name: " Rex ", categoryId: -(2n ** 63n) }],
    ["Rex,1,,,,", { name: "Rex", categoryId: 1n }],
  ])("of %j", (line, pet) => {
    expect(rowsOf(line)).toStrictEqual([{ index: 0, line: 2, pet }]);
  });

  it.each([
    ["Rex,1.0", "categoryId", `${int64Rule}, not "1.0"`],
    ["Rex,", "categoryId", `${int64Rule}, not ""`],
    ["Rex,9223372036854775808", "categoryId", `${int64Rule}, not "9223372036854775808"`],
    ["Rex,1,Sould", "status", `${statusRule}, not "Sould"; did you mean "sold"?`],
    ["Rex,1, ", "status", `${statusRule}, not " "`],
  ])("is invalid as %j, in its %s", (line, field, message) => {
    const expected = { line: 2, field, message: expect.stringContaining(message) };
    expect(rowsOf(line)).toEqual([expected]);
  });

  it("must not be over 1 MiB with its line end", () => {
    const header = recordsOf("name,categoryId");
    const fits = { line: 2, cells: ["Rex", "1"], size: 2 ** 20 };
    const rows = new DelimitedRows(strict).read([
      ...header,
      fits,
      { ...fits, size: fits.size + 1 },
    ]);
    expect(rows).toEqual([
      expect.objectContaining({ index: 0 }),
      { line: 2, message: "must be 1 MiB at most" },
    ]);
  });

  it("has a number that counts invalid rows, but not blank ones", () => {
    const rows = rowsOf("A,1\nB,x\n,,\n  ,\t\nC,3");
    expect(rows.map((row) => ("index" in row ? [row.line, row.index] : row.line))).toEqual([
      [2, 0],
      3,
      [6, 2],
    ]);
  });

  it("has the fields of the header, in any order, and across several reads", () => {
    const rows = new DelimitedRows(strict);
    expect(rows.read(recordsOf("\nstatus,id,categoryId,name"))).toEqual([]);
    expect(rows.read(recordsOf("sold,x,1,Rex", 3))).toEqual([
      { index: 0, line: 3, pet: { name: "Rex", categoryId: 1n, status: "sold" } },
    ]);
  });
});

describe("an extra value", () => {
  it.each([
    ["name,categoryId", "Rex,1,x", "has 3 values but the header has 2 columns; quote"],
    ["name,categoryId", "Rex,1,,x,", "has 4 values but the header has 2 columns; quote"],
    ["name,categoryId,", "Rex,1,x", "has 3 values but the header has 2 columns; quote"],
    ["name,,categoryId", "Rex,x,1", "has a value in column 2, which has no name in the header"],
    ["name,,categoryId", "Rex,,1,x", "has 4 values but the header has 3 columns; quote"],
  ])("below %j, as in %j", (header, line, message) => {
    expect(new DelimitedRows(strict).read(recordsOf(`${header}\n${line}`))).toEqual([
      { line: 2, message: expect.stringContaining(message) },
    ]);
  });

  it("is dropped in an ignored column, but not in one without a name", () => {
    const [ignored, unnamed] = new DelimitedRows({ ignoreUnknown: true }).read(
      recordsOf("name,age,categoryId\nRex,9,1\nRex,9,1,x"),
    );
    expect(ignored).toMatchObject({ pet: { name: "Rex", categoryId: 1n } });
    expect(unnamed).toMatchObject({ message: expect.stringContaining("has 4 values") });
  });
});

describe("the end of the rows", () => {
  it("is an invalid header: nothing else is reported", () => {
    const rows = new DelimitedRows(strict);
    const found = rows.read(recordsOf("\nname,status\nx\ny"));
    expect(found).toEqual([
      { line: 2, field: "categoryId", message: "has no column in the header" },
    ]);
    expect([rows.isDone, rows.read(recordsOf("a,b")), rows.end(), rows.fail(9, "x")]).toEqual([
      true,
      [],
      [],
      [],
    ]);
  });

  it("is a part that can't be read, reported once", () => {
    const rows = new DelimitedRows(strict);
    rows.read(recordsOf("name,categoryId"));
    expect([rows.isDone, rows.fail(7, "is odd"), rows.isDone]).toEqual([
      false,
      [{ line: 7, message: "is odd" }],
      true,
    ]);
    expect([rows.fail(8, "x"), rows.read(recordsOf("Rex,1")), rows.end()]).toEqual([[], [], []]);
  });

  it.each(["", "\n", " ,\n,,"])("is the end of a text without a header, as of %j", (text) => {
    const rows = new DelimitedRows(strict);
    expect(rows.read(recordsOf(text))).toEqual([]);
    const message = "is empty: the first line must be a header (name,categoryId,status)";
    expect(rows.end()).toEqual([{ line: 1, message }]);
  });

  it("is valid after only a header", () => {
    const rows = new DelimitedRows(strict);
    rows.read(recordsOf("name,categoryId"));
    expect(rows.end()).toEqual([]);
  });
});
