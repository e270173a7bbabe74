import { describe, expect, it } from "vitest";
import { type DelimitedRecord, DelimitedRows } from "../../../src/imports/input/delimited-rows.ts";
import { int64Rule, statusRule } from "../support/invalid-rows.ts";

const strict = { ignoreFields: false };

/** Returns the records of a text with commas, one per line; `size` is that of the line. */
function recordsOf(text: string, firstLine = 1): DelimitedRecord[] {
  return text
    .split("\n")
    .map((line, i) => ({ line: firstLine + i, cells: line.split(","), size: line.length + 1 }));
}

/** Returns the rows of the next records. */
const readAll = (rows: DelimitedRows, records: readonly DelimitedRecord[]) =>
  [...rows.read(records)].map(({ read }) => read);

/** Returns the rows at the end. */
const endOf = (rows: DelimitedRows) => [...rows.end(1)].map(({ read }) => read);

const failAt = (rows: DelimitedRows, line: number, message: string) =>
  [...rows.fail(line, { message })].map(({ read }) => read);

/** Returns what is read from the lines below the header `name,categoryId,status`. */
const rowsOf = (lines: string, options = strict) =>
  readAll(new DelimitedRows(options), recordsOf(`name,categoryId,status\n${lines}`));

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
    expect(rowsOf(line)).toMatchObject([expected]);
  });

  it("must not be over 1 MiB with its line end", () => {
    const header = recordsOf("name,categoryId");
    const fits = { line: 2, cells: ["Rex", "1"], size: 2 ** 20 };
    const rows = readAll(new DelimitedRows(strict), [
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
    expect(readAll(rows, recordsOf("\nstatus,id,categoryId,name"))).toEqual([]);
    expect(readAll(rows, recordsOf("sold,x,1,Rex", 3))).toEqual([
      { index: 0, line: 3, pet: { name: "Rex", categoryId: 1n, status: "sold" } },
    ]);
  });
});

describe("an extra value", () => {
  it.each([
    ["name,categoryId", "Rex,1,x", "has 3 values but the header has 2 columns; quote"],
    ["name,categoryId", "Rex,1,,x,", "has 4 values but the header has 2 columns; quote"],
    ["name,categoryId,", "Rex,1,x", "has a value in column #3, which has no name; quote"],
    ["name,,categoryId", "Rex,x,1", "has a value in column #2, which has no name; quote"],
    ["name,,categoryId", "Rex,,1,x", "has 4 values but the header has 3 columns; quote"],
  ])("below %j, as in %j", (header, line, message) => {
    expect(readAll(new DelimitedRows(strict), recordsOf(`${header}\n${line}`))).toEqual([
      expect.objectContaining({ line: 2, message: expect.stringContaining(message) }),
    ]);
  });

  it("is dropped in ignored columns and in those without a name, but not behind the last", () => {
    const [ignored, unnamed] = readAll(
      new DelimitedRows({ ignoreFields: true }),
      recordsOf("name,age,,categoryId\nRex,9,x,1\nRex,9,,1,x"),
    );
    expect(ignored).toMatchObject({ pet: { name: "Rex", categoryId: 1n } });
    expect(unnamed).toMatchObject({ message: expect.stringContaining("has 5 values") });
  });
});

describe("the end of the rows", () => {
  it("is an invalid header: nothing else is reported", () => {
    const rows = new DelimitedRows(strict);
    const found = readAll(rows, recordsOf("\nname,status\nx\ny"));
    expect(found).toEqual([
      { line: 2, fatal: "header", message: "no column for categoryId", cure: ["--category", "ID"] },
    ]);
    expect([
      rows.isDone,
      readAll(rows, recordsOf("a,b")),
      endOf(rows),
      failAt(rows, 9, "x"),
    ]).toEqual([true, [], [], []]);
  });

  it("is a part that can't be read, reported once", () => {
    const rows = new DelimitedRows(strict);
    readAll(rows, recordsOf("name,categoryId"));
    expect([rows.isDone, failAt(rows, 7, "is odd"), rows.isDone]).toEqual([
      false,
      [{ line: 7, fatal: "content", message: "is odd" }],
      true,
    ]);
    expect([failAt(rows, 8, "x"), readAll(rows, recordsOf("Rex,1")), endOf(rows)]).toEqual([
      [],
      [],
      [],
    ]);
  });

  it.each(["", "\n", " ,\n,,"])("is the end of a text without a header, as of %j", (text) => {
    const rows = new DelimitedRows(strict);
    expect(readAll(rows, recordsOf(text))).toEqual([]);
    const message = "is empty: the first line must be a header (name,categoryId,status)";
    expect(endOf(rows)).toEqual([{ line: 1, fatal: "header", message }]);
  });

  it("is valid after only a header", () => {
    const rows = new DelimitedRows(strict);
    readAll(rows, recordsOf("name,categoryId"));
    expect(endOf(rows)).toEqual([]);
  });
});
