import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { assert, asyncProperty, boolean, constantFrom, property, record, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { readDelimited } from "../../../src/imports/input/delimited.ts";
import { InputText } from "../../../src/imports/input/text.ts";
import type { ReadRow } from "../../../src/imports/types.ts";
import { assertCutsMakeNoDifference, cuts, pets, readCut, rowsOf } from "../support/any-pets.ts";
import { faultsOf, read } from "../support/input.ts";
import { int64Range, int64Rule, mebi, statusRule } from "../support/invalid-rows.ts";

/** Returns the rows of a CSV text. */
function rowsIn(text: string, ignoreFields = false): readonly ReadRow[] {
  const rows: ReadRow[] = [];
  const input = new InputText([Buffer.from(text)]);
  for (const { read: row } of readDelimited(input, "csv", { ignoreFields })) {
    rows.push(row);
    if ("fatal" in row) break;
  }
  return rows;
}

/** Returns what is read from the lines below the header `name,categoryId,status`. */
const rowsBelow = (lines: string) => rowsIn(`name,categoryId,status\n${lines}`);

const lenient = { format: "csv", ignoreFields: true } as const;

describe("rows and their lines", () => {
  it.each<readonly [string, string | Uint8Array, readonly number[]]>([
    ["a header alone", "name,categoryId", []],
    ["LF", "name,categoryId\nRex,1\nRex,1\n", [2, 3]],
    ["no last line end", "name,categoryId\nRex,1", [2]],
    ["CRLF", "\uFEFFname,categoryId\r\nRex,1\r\nRex,1\r\n", [2, 3]],
    ["CR", "name,categoryId\rRex,1\rRex,1", [2, 3]],
    ["a mixture", "name,categoryId\r\nRex,1\nRex,1\rRex,1", [2, 3, 4]],
    ["blank lines", '\n\r\nname,categoryId\n\n  \nRex,1\n\n,\n,,\n"",\nRex,1\n', [6, 11]],
    [
      "quoted line ends",
      '"name","categoryId",status\n"Re\nx",1,\n"Re\r\nx",1,sold\n"Re\rx\n\n",1,\nRex,1,',
      [2, 4, 6, 10],
    ],
    ["a quoted line end in the header", 'name,categoryId,"i\nd"\nRex,1,', [3]],
    ["semicolons", "name;categoryId;status\nRex;1;\n", [2]],
    ["tabs", "name\tcategoryId\tstatus\nRex\t1\tsold", [2]],
    ["a quoted header and semicolons", '"name";"categoryId"\n"a,b";1', [2]],
    ["columns in any case, with blanks", " NAME ,Category\u00A0,STATUS\nRex,1,sold", [2]],
    ["tabs and other names in any case", "Name\tCategory\nRex\t1", [2]],
    ["empty columns at the end", "categoryId,name,status,,\n1,Rex,,,\n1,Rex", [2, 3]],
  ])("with %s", async (_what, content, lines) => {
    const rows = await read(content, lenient);
    expect(rows.map(({ line }) => line)).toEqual(lines);
    expect(rows.map(({ index }) => index)).toEqual(lines.map((_line, index) => index));
  });
});

describe("values", () => {
  it.each<readonly [string, object]>([
    [
      'status,id,categoryId,name\n,1.0,9007199254740993," ""Rex"", the 1st "',
      { name: ' "Rex", the 1st ', categoryId: 9007199254740993n },
    ],
    [
      "name,categoryId,status\n Rex ,-7,available",
      { name: " Rex ", categoryId: -7n, status: "available" },
    ],
    ["Name,Category,Status\nRex,1,SOLD", { name: "Rex", categoryId: 1n, status: "sold" }],
    ["categoryId,name\n1,=1+1", { name: "=1+1", categoryId: 1n }],
  ])("of %s", async (content, pet) => {
    expect((await read(content, { format: "csv" }))[0]?.pet).toStrictEqual(pet);
  });

  it("of unknown fields are dropped with --ignore-fields", async () => {
    const expected = { name: "Rex", categoryId: 1n };
    const csv = "age,name,categoryId,age\n1,Rex,1,2";
    expect((await read(csv, lenient))[0]?.pet).toStrictEqual(expected);
  });
});

it.each(["", "\uFEFF", "\n \r\n", " ,\n,,"])("is empty as %j", async (content) => {
  await expect(read(content, { name: "empty.csv" })).rejects.toMatchObject({
    kind: "usage",
    message: expect.stringMatching(/empty\.csv is empty$/),
  });
});

describe("an invalid row", () => {
  it.each([
    ["Rex", "2 categoryId is missing"],
    [",1", "2 name must not be empty"],
    ["Rex,", `2 categoryId ${int64Rule}, not ""`],
    ["Rex,1.0", `2 categoryId ${int64Rule}, not "1.0"`],
    ["Rex,9223372036854775808", `2 categoryId ${int64Range}, not "9223372036854775808"`],
    ["Rex,1, ", `2 status ${statusRule}, not " "`],
    ["Rex, 1", `2 categoryId ${int64Rule}, not " 1"`],
    ["Rex,007", `2 categoryId ${int64Rule}, not "007"`],
    ["Rex,1,gone", `2 status ${statusRule}, not "gone"`],
    ["Rex,1,sold,7", "2 value in column #4, which has no name; quote values that"],
    ["Rex,1,sold,7,,8,,", "2 value in column #4, which has no name; quote values that"],
    ['"Rex\n",1,x\nMax,1', "2 status "],
    ['Max,1,\nRe"x",1', "3 quote inside an unquoted value"],
    ['Max,1,\n"Re"x,1', "3 text after a closing quote"],
    ['Max,1,\n"Rex,1\nMax,1\n', "3 quote never closed"],
    [Buffer.from([0x52, 0xe9, 0x2c, 0x31]), "2 invalid UTF-8"],
  ])("%s", async (row, fault) => {
    const content = Buffer.concat([Buffer.from("name,categoryId,status\n"), Buffer.from(row)]);
    const found = await faultsOf(content, { format: "csv" });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(fault);
  });

  it.each([
    ["nmae,categoryId", '1 no column for name; unknown column "nmae" (did you mean "name"?)'],
    [
      "name,categry",
      '1 no column for categoryId; unknown column "categry" (did you mean "categoryId"?)',
    ],
    ["name,category,xyzzyq", '1 unknown column "xyzzyq"; the columns are name, categoryId, status'],
    ["name,categoryId, Name ", "1 the header has more than one column for name: name, Name"],
    [
      "name,categoryId,Category",
      "1 the header has more than one column for categoryId: categoryId, Category",
    ],
    ["name,status", "1 no column for categoryId"],
    ["\n\nRex,1,sold", '3 expected a header such as name,categoryId,status, not "Rex,1,sold"'],
    [
      "name;categoryId,status",
      '1 no column for name and categoryId; unknown column "name;categoryId"; the columns are',
    ],
  ])("may be the header %j, after which nothing else is reported", async (header, fault) => {
    const found = await faultsOf(`${header}\nx,y\nz`, { format: "csv" });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(fault);
  });

  it("in latin1 is reported by line", async () => {
    const content = Buffer.from("name,categoryId\nRéx,1\n", "latin1");
    const fault = "2 invalid UTF-8; the rest of the file was not read";
    expect(await faultsOf(content, { format: "csv" })).toEqual([fault]);
  });

  it.each([",", '"', "é"])("is reported in a text of only %j", async (sign) => {
    const [fault] = await faultsOf(sign.repeat(mebi + 300), { format: "csv" });
    expect(fault).toMatch(/^1 row longer than 1 MiB/);
  });

  it("may be far too long", async () => {
    const csv = await faultsOf(`name,categoryId\n${"x".repeat(mebi + 300)},1\n,`, {
      format: "csv",
    });
    expect(csv).toEqual([
      expect.stringMatching(/^2 row longer than 1 MiB.*the rest of the file was not read/),
    ]);
    const cells = await faultsOf(`name,categoryId\n${",".repeat(mebi + 300)}`, { format: "csv" });
    expect(cells).toEqual([expect.stringMatching(/^2 row longer than 1 MiB/)]);
  });
});

const linesIn = (text: string): number => text.split(/\r\n|\n|\r/).length;

const csvStyle = record({
  record_delimiter: constantFrom("\r\n", "\n"),
  delimiter: constantFrom(",", ";", "\t"),
  quoted: boolean(),
  quoted_empty: boolean(),
  quoted_string: boolean(),
  bom: boolean(),
  header: boolean(),
  eof: boolean(),
});

describe("any animals, however their bytes are split,", () => {
  it("are read back as a spreadsheet writes them", async () => {
    await assert(
      asyncProperty(pets, csvStyle, cuts, boolean(), async (expected, style, places, isShort) => {
        const columns = isShort
          ? ["categoryId", "name", "status"]
          : ["name", "status", "id", "categoryId"];
        const records = expected.map((one) => columns.map((field) => Object(one)[field] ?? ""));
        // A spreadsheet quotes every kind of line end.
        const options = {
          ...style,
          header: false,
          quoted_match: /[\r\n]/,
          cast: { bigint: String },
        };
        const text = stringify([columns, ...records], options);
        let line = 1;
        const lines = [columns, ...records].map((cells) => {
          const start = line;
          line += cells.reduce((sum, cell) => sum + linesIn(String(cell)) - 1, 1);
          return start;
        });
        expect(readCut("csv", text, places)).toEqual(rowsOf(expected, lines.slice(1)));
      }),
      { numRuns: 500 },
    );
  });
});

it("reads any text the same, however it is split", async () => {
  await expect(assertCutsMakeNoDifference("csv")).resolves.toBeUndefined();
});

/** Returns the cells that csv-parse reads in a line; undefined if it refuses it. */
function parsed(line: string): readonly string[] | undefined {
  try {
    return parse(line, { delimiter: ";", relax_column_count: true })[0];
  } catch {
    return undefined;
  }
}

it("reads any cells as csv-parse does", () => {
  const unit = constantFrom("a", '"', '""', ";", ";", '";"', " ", "\t");
  assert(
    property(string({ unit, maxLength: 12 }), (cells) => {
      const line = `x;${cells}`;
      const text = new InputText([Buffer.from(`name;category\n${line}`)]);
      const [found] = readDelimited(text, "csv", { ignoreFields: true });
      const isRead = found !== undefined && !("fatal" in found.read);
      expect(isRead ? found.original : undefined).toEqual(parsed(line));
    }),
    { numRuns: 2000 },
  );
});

it("gives a row a number that counts invalid rows, but not blank ones", async () => {
  const rows = rowsBelow("A,1\nB,x\n,,\n  ,\t\nC,3");
  expect(rows.map((row) => ("index" in row ? [row.line, row.index] : row.line))).toEqual([
    [2, 0],
    3,
    [6, 2],
  ]);
});

describe("an extra value", () => {
  it.each([
    ["name,categoryId", "Rex,1,x", "value in column #3, which has no name; quote"],
    ["name,categoryId", "Rex,1,,x,", "value in column #4, which has no name; quote"],
    ["name,categoryId,", "Rex,1,x", "value in column #3, which has no name; quote"],
    ["name,,categoryId", "Rex,x,1", "value in column #2, which has no name; quote"],
    ["name,,categoryId", "Rex,,1,x", "value in column #4, which has no name; quote"],
  ])("below %j, as in %j", async (header, line, message) => {
    expect(rowsIn(`${header}\n${line}`)).toEqual([
      expect.objectContaining({ line: 2, message: expect.stringContaining(message) }),
    ]);
  });

  it("is dropped in ignored columns and in those without a name, but not behind the last", async () => {
    const text = "name,age,,categoryId\nRex,9,x,1\nRex,9,,1,x";
    const [ignored, unnamed] = rowsIn(text, true);
    expect(ignored).toMatchObject({ pet: { name: "Rex", categoryId: 1n } });
    expect(unnamed).toMatchObject({ message: expect.stringContaining("in column #5") });
  });
});

describe("the end of the rows", () => {
  it("is an invalid header: nothing else is reported", async () => {
    expect(rowsIn("\nname,status\nx\ny")).toEqual([
      {
        line: 2,
        fatal: "header",
        message: "no column for categoryId",
        cure: [["--category", "ID"]],
      },
    ]);
  });

  it("is a part that can't be read, reported once", async () => {
    const found = rowsIn('name,categoryId\nR"ex,1\nRex,1\nR"ex,1\n');
    const message = expect.stringMatching(/^quote inside/);
    expect(found).toEqual([{ line: 2, fatal: "content", message }]);
  });

  it("is valid after only a header", async () => {
    expect(rowsIn("name,categoryId")).toEqual([]);
  });
});

const looksLike = (line: number, ...others: string[][]) => ({
  line: 1,
  fatal: "header",
  message: `not a header; line ${line} looks like one`,
  cure: [["--skip-lines", String(line - 1)], ...others],
});

describe("a title above the header", () => {
  it.each<readonly [string, number, string[][]]>([
    ["Shelter, 2026\nname,categoryId\nRex,1\n", 2, []],
    ["Shelter\n\nas of 2026;;\nname;category\nRex;1\n", 4, []],
    ['"Shelter\nof Springfield"\nname,Category', 3, []],
    [`Shelter${"\n".repeat(9)}x\nname`, 11, [["--category", "ID"]]],
    [
      "Tiere, 2026\nTiername;Tierart\n",
      2,
      [
        ["--map", "Tiername=name"],
        ["--map", "Tierart=categoryId"],
      ],
    ],
    [
      "Dogs of Vienna;;\nBreed;;Number\nBeagle;;1\n",
      2,
      [["--map", "COLUMN=name"], ["--map", "COLUMN=categoryId"], ["--ignore-fields"]],
    ],
  ])("%j is told the lines to skip", async (text, line, others) => {
    expect(rowsIn(text)).toEqual([looksLike(line, ...others)]);
  });

  it.each([
    ["with a known column", "Shelter,status\nname,category\n"],
    ["too far above it", `Shelter${"\n".repeat(10)}x\nname`],
    ["of a file that names no column", "Animal\nRex\n"],
    ["above values", "Shelter\nRex,7\n"],
  ])("%s is a header", async (_what, text) => {
    const [found, ...others] = rowsIn(text);
    expect(found).toMatchObject({ line: 1, fatal: "header" });
    expect(found).toHaveProperty("message", expect.stringMatching(/^no column for/));
    expect(others).toEqual([]);
  });
});

describe("TSV", () => {
  describe("rows and their lines", () => {
    it.each<readonly [string, string, readonly number[]]>([
      ["a header alone", "name\tcategoryId", []],
      ["LF", "name\tcategoryId\nRex\t1\nRex\t1\n", [2, 3]],
      ["CRLF and a byte-order mark", "\uFEFFname\tcategoryId\r\nRex\t1\r\nRex\t1", [2, 3]],
      ["blank lines", "\n \t\nname\tcategoryId\n\n\t\nRex\t1", [6]],
    ])("with %s", async (_what, content, lines) => {
      const rows = await read(content, { format: "tsv" });
      expect(rows.map(({ line, index }) => [line, index])).toEqual(
        lines.map((line, i) => [line, i]),
      );
    });
  });

  it.each([
    ["back\\\\slash", "back\\slash"],
    ["\\\\n", "\\n"],
    ["\\t\\n\\r\\\\\\t", "\t\n\r\\\t"],
    ['"Rex"', '"Rex"'],
    ["Re\u2028x, the; 1st", "Re\u2028x, the; 1st"],
  ])("reads the value %s", async (written, name) => {
    const [row] = await read(`name\tcategoryId\n${written}\t1\n`, { format: "tsv" });
    expect(row?.pet.name).toBe(name);
  });

  it.each([
    ["Rex\t1\n", '1 expected a header such as name,categoryId,status, not "Rex,1"'],
    ["name\tcategoryId\nRe\\x\t1", "2 unknown escape; write a backslash as \\\\"],
    ["name\tcategoryId\nRex\\\t1", "2 unknown escape; write a backslash as \\\\"],
    ["name\tcategoryId\nRex\t1\t\tsold", "2 value in column #4, which has no name"],
    ["name\tcategoryId\nRex\tx", `2 categoryId ${int64Rule}, not "x"`],
    [`name\tcategoryId\n${"x".repeat(mebi + 300)}\t1`, "2 row longer than 1 MiB"],
  ])("rejects %.40j", async (content, fault) => {
    const found = await faultsOf(content, { format: "tsv" });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(fault);
  });

  it("reads any text the same, however it is split", async () => {
    await expect(assertCutsMakeNoDifference("tsv")).resolves.toBeUndefined();
  });
});
