import { parse } from "csv-parse/sync";
import { assert, boolean, constantFrom, property, record, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { csvLine } from "../../../src/core/csv.ts";
import { readDelimited } from "../../../src/imports/input/delimited.ts";
import { InputText } from "../../../src/imports/input/text.ts";
import type { ReadRow } from "../../../src/imports/types.ts";
import {
  assertCutsMakeNoDifference,
  cuts,
  options,
  pets,
  readCut,
  rowsOf,
} from "../support/any-pets.ts";
import {
  faultsOf,
  outcomeOf,
  read,
  int64Range,
  int64Rule,
  mebi,
  statusRule,
} from "../support/input.ts";

/** Returns the rows of a CSV text. */
function rowsIn(text: string, ignoreFields = false): readonly ReadRow[] {
  const rows: ReadRow[] = [];
  const input = new InputText([Buffer.from(text)]);
  for (const found of readDelimited(input, "csv", { ...options, ignoreFields })) {
    if (found !== undefined) rows.push(found.read);
    if (found !== undefined && "fatal" in found.read) break;
  }
  return rows;
}

describe("rows and their lines", () => {
  it.each<readonly [string, string, readonly number[]]>([
    ["a header alone", "name,categoryId", []],
    ["CR", "name,categoryId\rRex,1\rRex,1", [2, 3]],
    ["a mixture", "name,categoryId\r\nRex,1\nRex,1\rRex,1", [2, 3, 4]],
    ["blank lines", '\n\r\nname,categoryId\n\n  \nRex,1\n\n,\n,,\n"",\nRex,1\n', [6, 11]],
    [
      "quoted line ends",
      '"name","categoryId",status\n"Re\nx",1,\n"Re\r\nx",1,sold\n"Re\rx\n\n",1,\nRex,1,',
      [2, 4, 6, 10],
    ],
    ["a quoted line end in the header", 'name,categoryId,"i\nd"\nRex,1,', [3]],
    ["a quoted header and semicolons", '"name";"categoryId"\n"a,b";1', [2]],
    ["columns in any case, with blanks", " NAME ,Category\u00A0,STATUS\nRex,1,sold", [2]],
    ["tabs and other names in any case", "Name\tCategory\nRex\t1", [2]],
    ["empty columns at the end", "categoryId,name,status,,\n1,Rex,,,\n1,Rex", [2, 3]],
  ])("with %s", async (_what, content, lines) => {
    const rows = await read(content, "a.csv", { ignoreFields: true });
    expect(rows.map(({ line, index }) => [line, index])).toEqual(lines.map((line, i) => [line, i]));
  });

  it.each<readonly [string, string, readonly number[]]>([
    ["CRLF and a byte-order mark", "\uFEFFname\tcategoryId\r\nRex\t1\r\nRex\t1", [2, 3]],
    ["blank lines", "\n \t\nname\tcategoryId\n\n\t\nRex\t1", [6]],
  ])("of TSV with %s", async (_what, content, lines) => {
    expect((await read(content, "a.tsv")).map(({ line }) => line)).toEqual(lines);
  });

  it("have numbers that count invalid rows, but not blank ones", () => {
    const rows = rowsIn("name,categoryId\nA,1\nB,x\n,,\n  ,\t\nC,3");
    const numbers = rows.map((row) => `${row.line} ${"index" in row ? row.index : "?"}`);
    expect(numbers).toEqual(["2 0", "3 ?", "6 2"]);
  });
});

describe("values", () => {
  it.each<readonly [string, object]>([
    [
      'status,id,categoryId,name\n,1.0,9007199254740993," ""Rex"", the 1st "',
      { name: ' "Rex", the 1st ', categoryId: 9007199254740993n },
    ],
    [
      'name,categoryId,status\n\t" Rex " , -7 ,available\t',
      { name: " Rex ", categoryId: -7n, status: "available" },
    ],
    ["Name,Category,Status\nRex,1,SOLD", { name: "Rex", categoryId: 1n, status: "sold" }],
    ["categoryId,name\n1,=1+1", { name: "=1+1", categoryId: 1n }],
    ["age,name,categoryId,age\n1,Rex,1,2", { name: "Rex", categoryId: 1n }],
  ])("of %s", async (content, pet) => {
    expect((await read(content, "a.csv", { ignoreFields: true }))[0]?.pet).toStrictEqual(pet);
  });
});

it.each(["", "\uFEFF", "\n \r\n", " ,\n,,"])("is empty as %j", async (content) => {
  await expect(read(content, "empty.csv")).rejects.toMatchObject({
    kind: "usage",
    message: expect.stringMatching(/empty\.csv is empty$/),
  });
});

describe("an invalid row", () => {
  it.each([
    ["Rex", "2 categoryId is missing"],
    [",1", "2 name must not be empty"],
    ["Rex,", "2 categoryId is missing"],
    ["Rex,1.0", `2 categoryId ${int64Rule}, not "1.0"`],
    [
      "Rex,9.22E+018",
      `2 categoryId ${int64Rule}, not "9.22E+018": it was rounded by a spreadsheet; format`,
    ],
    ["Rex,9223372036854775808", `2 categoryId ${int64Range}, not "9223372036854775808"`],
    ["Rex,007", `2 categoryId ${int64Rule}, not "007"`],
    ["Rex,1,gone", `2 status ${statusRule}, not "gone"`],
    ['"Rex\n",1,x\nMax,1', "2 status "],
    ['Max,1,\n"Re"x,1', "3 text after a closing quote"],
    ['Max,1,\n"Rex,1\nMax,1\n', "3 quote never closed"],
    [Buffer.from([0x52, 0xe9, 0x2c, 0x31]), "2 invalid UTF-8"],
  ])("%s", async (row, fault) => {
    const content = Buffer.concat([Buffer.from("name,categoryId,status\n"), Buffer.from(row)]);
    expect(await faultsOf(content, "a.csv")).toEqual([expect.stringContaining(fault)]);
  });

  it.each([
    [
      "Rex\t1\n",
      '1 no column for name and categoryId; unknown columns "Rex", "1"; the columns are name, categoryId, status; if it is no header, the first row is #1 "Rex", #2 "1"',
    ],
    ["name\tcategoryId\nRe\\x\t1", "2 unknown escape; write a backslash as \\\\"],
    ["name\tcategoryId\nRex\\\t1", "2 unknown escape; write a backslash as \\\\"],
    ["name\tcategoryId\nRex\t1\t\tsold", "2 value in column #4, which has no name"],
    ["name\tcategoryId\nRex\tx", `2 categoryId ${int64Rule}, not "x"`],
    [`name\tcategoryId\n${"x".repeat(mebi + 300)}\t1`, "2 row longer than 1 MiB"],
  ])("of TSV: %.40j", async (content, fault) => {
    expect(await faultsOf(content, "a.tsv")).toEqual([expect.stringContaining(fault)]);
  });

  it.each([",", '"', "é"])("is reported in a text of only %j", async (sign) => {
    const [fault] = await faultsOf(sign.repeat(mebi + 300), "a.csv");
    expect(fault).toMatch(/^1 row longer than 1 MiB/);
  });

  it.each([`${"x".repeat(mebi + 300)},1\n,`, ",".repeat(mebi + 300)])(
    "may be far too long: %.2s",
    async (rows) => {
      expect(await faultsOf(`name,categoryId\n${rows}`, "a.csv")).toEqual([
        expect.stringMatching(/^2 row longer than 1 MiB.*the rest of the file was not read/),
      ]);
    },
  );
});

const quote = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

const linesIn = (text: string): number => text.split(/\r\n|\n|\r/).length;

const csvStyle = record({
  separator: constantFrom(",", ";", "\t"),
  lineEnd: constantFrom("\r\n", "\n"),
  isQuoted: boolean(),
  hasByteOrderMark: boolean(),
});

it("any animals are read back as a spreadsheet writes them, however split", () => {
  assert(
    property(pets, csvStyle, cuts, boolean(), (expected, style, places, isShort) => {
      const columns = isShort
        ? ["categoryId", "name", "status"]
        : ["name", "status", "id", "categoryId"];
      const records = expected.map((one) => columns.map((field) => Object(one)[field] ?? ""));
      const { separator, lineEnd, isQuoted, hasByteOrderMark } = style;
      const text = [columns, ...records].map((values) => {
        const cells = values.map(String);
        return isQuoted
          ? cells.map(quote).join(separator) + lineEnd
          : csvLine(cells, separator, lineEnd);
      });
      const start = hasByteOrderMark ? "\ufeff" : "";
      let line = 1;
      const lines = [columns, ...records].map((cells) => {
        const first = line;
        line += cells.reduce((sum, cell) => sum + linesIn(String(cell)) - 1, 1);
        return first;
      });
      const found = readCut("csv", start + text.join(""), places);
      expect(found.map(({ row: _row, ...others }) => others)).toEqual(
        rowsOf(expected, lines.slice(1)),
      );
      expect(found.map(({ row, line: at }) => row ?? at)).toEqual(expected.map((_one, i) => i + 2));
    }),
    { numRuns: 200 },
  );
});

it.each(["csv", "tsv"] as const)("any text of %s is read the same, however split", (format) => {
  expect(() => assertCutsMakeNoDifference(format)).not.toThrow();
});

/** Returns the cells that csv-parse reads in a line; undefined if it refuses it. */
function parsed(line: string): readonly string[] | undefined {
  try {
    const style = { delimiter: ";", relax_column_count: true, relax_quotes: true, trim: true };
    return parse(line, style)[0];
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
      const [found] = readDelimited(text, "csv", { ...options, ignoreFields: true });
      if (found === undefined || !("pet" in found.read || "wrong" in found.read.fault)) return;
      const { original, quoted } = found;
      const own = [original].flat().map((cell, at) => (quoted?.[at] ? cell : cell.trim()));
      expect(own).toEqual(parsed(line));
    }),
    { numRuns: 500 },
  );
});

it.each([
  ["name,categoryId\nRex,1,x", 3],
  ["name,categoryId\nRex,1,,x,,8,", 4],
  ["name,categoryId,\nRex,1,x", 3],
  ["name,,categoryId\nRex,x,1", 2],
  ["name,,categoryId\nRex,,1,x", 4],
])("an extra value: %j has one in column #%i", async (text, column) => {
  const fault = `2 value in column #${column}, which has no name; quote`;
  expect(await faultsOf(text, "a.csv")).toEqual([expect.stringContaining(fault)]);
});

it("an extra value is dropped in ignored columns, but not behind the last", () => {
  const [ignored, unnamed] = rowsIn("name,age,,categoryId\nRex,9,x,1\nRex,9,,1,x", true);
  expect(ignored).toMatchObject({ pet: { name: "Rex", categoryId: 1n } });
  expect(unnamed).toMatchObject({ message: expect.stringContaining("in column #5") });
});

it.each([["\nname,status\nx\ny", "2 no column for categoryId"]])(
  "nothing is reported after what ends the rows: %j",
  async (text, fault) => {
    expect(await faultsOf(text, "a.csv")).toEqual([expect.stringContaining(fault)]);
  },
);

it.each<[string, number, string, ...string[]]>([
  ["Shelter, 2026\nname,categoryId\nRex,1\n", 2, ""],
  ["Shelter\n\nas of 2026;;\nname;category\nRex;1\n", 4, ""],
  ['"Shelter\nof Springfield"\nname,Category', 3, ""],
  ['The "Shelter"\nname,Category', 2, ""],
  [`Shelter${"\n".repeat(9)}x\nname`, 11, " --category '<id>'"],
  ["Tiere, 2026\nTiername;Tierart\n", 2, " --map Tiername=name --map Tierart=categoryId"],
  [
    "Dogs of Vienna;;\nBreed;;Number\nBeagle;;1\n",
    2,
    " --map '<column>=name' --map '<column>=categoryId' --ignore-fields",
    "If all have the same category: --skip-lines 1 --map '<column>=name' --category '<id>' --ignore-fields",
  ],
])("a title is recognized above the header: %j", async (text, line, flags, ...others) => {
  expect(await outcomeOf(text, "a.csv")).toEqual({
    message: "invalid header; nothing was sent",
    details: [`1 not a header; line ${line} looks like one`],
    hints: [`Try it with: --skip-lines ${line - 1}${flags}`, ...others],
  });
});

it.each([
  ["a known column", "Shelter,status\nname,category\n"],
  ["the header far below", `Shelter${"\nx".repeat(10)}\nname`],
  ["no other column below", "Animal\nRex\n"],
  ["values below", "Shelter\nRex,7\n"],
])("a first line with %s is no title", async (_what, text) => {
  expect(await faultsOf(text, "a.csv")).toEqual([expect.stringMatching(/^1 .*no column for/)]);
});
