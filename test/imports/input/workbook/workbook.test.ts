import { describe, expect, it } from "vitest";
import { roundedNumber } from "../../../../src/imports/input/facts.ts";
import type { InputFile } from "../../../../src/imports/input/open.ts";
import { openSheet } from "../../../../src/imports/input/workbook/sheet.ts";
import {
  faultOf,
  maxBytes,
  readWorkbook,
} from "../../../../src/imports/input/workbook/workbook.ts";
import {
  sheetXml,
  type TestCell,
  type TestSheet,
  workbookOf,
  workbookParts,
  zipOf,
} from "../../../support/workbook.ts";

const dogs: TestSheet = {
  name: "Dogs",
  rows: [
    ["name", "category"],
    ["Rex", 1],
  ],
};
const cats: TestSheet = { name: "Cats", rows: [["name"], ["Mia"]] };
const empty: TestSheet = { name: "Notes", rows: [] };

/** Returns how the cells of a row are read. */
async function cellsOf(...cells: TestCell[]): Promise<readonly string[] | undefined> {
  const read = await readWorkbook(workbookOf([{ name: "Dogs", rows: [cells] }]));
  return read.rows[0]?.cells;
}

/** Returns why a workbook cannot be read. */
async function whyNot(bytes: Buffer, sheet?: string): Promise<string> {
  const read = await readWorkbook(bytes, sheet).catch((error: unknown) => faultOf(error).message);
  return typeof read === "string" ? read : `${read.name} was read`;
}

/** Returns a workbook with another XML of its sheet, or of another file in it. */
const changed = (xml: string | Uint8Array, part = "xl/worksheets/sheet1.xml"): Buffer =>
  zipOf({ ...workbookParts([dogs]), [part]: xml });

const damaged =
  "is a damaged workbook; open it in a spreadsheet program and save it as .xlsx or CSV UTF-8";
const tooLarge =
  "is larger than 100 MB unpacked; save the sheet with the animals as CSV UTF-8, or split it";

describe("the cells of a workbook", () => {
  it.each<[string, TestCell, string]>([
    ["an integer", 17, "17"],
    ["an integer with a fraction of none", { raw: '<c r="@"><v>17.0</v></c>' }, "17"],
    ["a fraction", { raw: '<c r="@"><v>0.30000000000000004</v></c>' }, "0.3"],
    ["a power of ten", { raw: '<c r="@"><v>1.7E1</v></c>' }, "17"],
    ["fifteen digits", 276_098_106_123_456, "276098106123456"],
    ["minus fifteen digits", -999_999_999_999_999, "-999999999999999"],
    ["eighteen digits", { raw: '<c r="@"><v>985112345678903123</v></c>' }, "9.85112345678903E+17"],
    [
      "the same as Excel writes it",
      { raw: '<c r="@"><v>9.8511234567890304E+17</v></c>' },
      "9.85112345678903E+17",
    ],
    ["a round number of sixteen digits", 1e15, "1E+15"],
    ["a number of blanks", { raw: '<c r="@"><v> </v></c>' }, ""],
    ["a number of another base", { raw: '<c r="@"><v>0x10</v></c>' }, "0x10"],
    ["a number with a plus", { raw: '<c r="@"><v>+3</v></c>' }, "+3"],
    ["a date", new Date("2026-01-31"), "2026-01-31"],
    ["a date and time", new Date("2026-01-31T10:30Z"), "2026-01-31T10:30"],
    ["a time with seconds", new Date("2026-01-31T10:30:07Z"), "2026-01-31T10:30:07"],
    ["an ISO date", { raw: '<c r="@" t="d"><v>2026-01-31T10:30:00</v></c>' }, "2026-01-31T10:30"],
    ["a date out of range", { raw: '<c r="@" s="1"><v>276098106123456</v></c>' }, ""],
    ["an error", { raw: '<c r="@" t="e"><v>#N/A</v></c>' }, ""],
    ["true", true, "true"],
    ["false", false, "false"],
    ["a text with blanks", "  Rex\n ", "  Rex\n "],
    ["a text of digits", "007", "007"],
    ["a text with markup", "<&\"'>&amp;", "<&\"'>&amp;"],
    ["an emoji", "🐾", "🐾"],
    [
      "a reference to an emoji",
      { raw: '<c r="@" t="inlineStr"><is><t>&#128062;&#x1F43E;</t></is></c>' },
      "🐾🐾",
    ],
    [
      "a section of characters",
      { raw: '<c r="@" t="inlineStr"><is><t><![CDATA[<Rex> & co]]></t></is></c>' },
      "<Rex> & co",
    ],
    [
      "rich text",
      { raw: '<c r="@" t="inlineStr"><is><r><t>Re</t></r><r><t>x</t></r></is></c>' },
      "Rex",
    ],
    ["a formula's text", { raw: '<c r="@" t="str"><f>A1</f><v>Rex</v></c>' }, "Rex"],
    ["a formula without its value", { raw: '<c r="@"><f>A1</f></c>' }, ""],
  ])("%s", async (_name, cell, text) => {
    expect(await cellsOf("x", cell, "y")).toEqual(["x", text, "y"]);
  });

  it("count the days of a workbook from 1904 if it says so", async () => {
    const parts = workbookParts([{ name: "Dogs", rows: [[new Date("2026-01-31")]] }]);
    const workbook = parts["xl/workbook.xml"]?.replace("<sheets>", '<workbookPr date1904="1"/>$&');
    const read = await readWorkbook(zipOf({ ...parts, "xl/workbook.xml": workbook ?? "" }));
    expect(read).toMatchObject({ rows: [{ cells: ["2030-02-01"] }] });
  });

  it("say that a spreadsheet rounded a number", async () => {
    const [number = ""] = (await cellsOf({ raw: '<c r="@"><v>985112345678903123</v></c>' })) ?? [];
    expect(number).toMatch(roundedNumber);
  });

  it("have their place, whatever is empty before and between", async () => {
    const rows = [
      [],
      [],
      [null, "name", null, "status"],
      [],
      [null, "Rex"],
      [" "],
      [null, null, null, "sold"],
    ];
    expect(await readWorkbook(workbookOf([{ name: "Dogs", rows }]))).toEqual({
      name: "Dogs",
      others: [],
      rows: [
        { line: 3, cells: ["", "name", "", "status"] },
        { line: 5, cells: ["", "Rex", "", ""] },
        { line: 7, cells: ["", "", "", "sold"] },
      ],
    });
  });

  it("are those of many rows", async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => [`Rex ${at}`, at % 7, true]);
    const read = await readWorkbook(workbookOf([{ name: "Dogs", rows }]));
    expect(read.rows.length).toBe(20_000);
    expect(
      read.rows.every(({ line, cells }, at) => line === at + 1 && cells[0] === `Rex ${at}`),
    ).toBe(true);
  });
});

describe("the sheet that is read", () => {
  it.each<[string, readonly TestSheet[], string | undefined, string, readonly string[], number]>([
    ["the first", [dogs, cats], undefined, "Dogs", ["Cats"], 2],
    [
      "the first with rows",
      [empty, { name: "Blank", rows: [["", " "]] }, cats, dogs],
      undefined,
      "Cats",
      ["Dogs"],
      2,
    ],
    ["the one with a name", [dogs, empty, cats], "Cats", "Cats", ["Dogs"], 2],
    ["whatever its case", [dogs, cats], "cats ", "Cats", ["Dogs"], 2],
    ["an empty one", [dogs, empty], "Notes", "Notes", ["Dogs"], 0],
    ["none with rows", [empty], undefined, "Notes", [], 0],
  ])("is %s", async (_name, sheets, sheet, name, others, count) => {
    const read = await readWorkbook(workbookOf(sheets), sheet);
    expect(read).toMatchObject({ name, others });
    expect("rows" in read && read.rows.length).toBe(count);
  });

  it.each<[readonly TestSheet[], string, string]>([
    [[dogs, cats, empty], "Hunde", 'has no sheet "Hunde"; its sheets are "Dogs", "Cats"'],
    [
      [dogs, cats],
      "Dog",
      'has no sheet "Dog"; its sheets are "Dogs", "Cats"; did you mean "Dogs"?',
    ],
    [[dogs], "Tiere", 'has no sheet "Tiere"; its sheet is "Dogs"'],
    [[empty], "Dogs", 'has no sheet "Dogs"; no sheet has rows'],
  ])("%# is told if it is not there", async (sheets, sheet, message) => {
    expect(await whyNot(workbookOf(sheets), sheet)).toBe(message);
  });
});

/** Returns the start of a compound file (MS-CFB) with an entry of this name. */
const compound = (entry: string): Buffer =>
  Buffer.concat([
    Buffer.from("d0cf11e0a1b11ae1", "hex"),
    Buffer.alloc(504),
    Buffer.from(entry, "utf16le"),
  ]);

describe("a file that is no workbook", () => {
  it.each<[string, Buffer, string]>([
    [
      "an encrypted one",
      compound("EncryptedPackage"),
      "is an encrypted workbook; remove its password, then save it as .xlsx or CSV UTF-8",
    ],
    [
      "an old one",
      compound("Workbook"),
      "is an old Excel workbook (.xls); save it as .xlsx or CSV UTF-8",
    ],
    [
      "OpenDocument",
      zipOf({ mimetype: "application/vnd.oasis.opendocument.spreadsheet", "content.xml": "<a/>" }),
      "is an OpenDocument file; save it as .xlsx or CSV UTF-8",
    ],
    [
      "a binary one",
      zipOf({ "xl/workbook.bin": "" }),
      "is a binary workbook (.xlsb); save it as .xlsx or CSV UTF-8",
    ],
    [
      "another archive",
      zipOf({ "a.txt": "a" }),
      "is a ZIP archive, but not an Excel workbook; save it as .xlsx or CSV UTF-8",
    ],
    [
      "an empty archive",
      zipOf({}),
      "is a ZIP archive, but not an Excel workbook; save it as .xlsx or CSV UTF-8",
    ],
    [
      "text",
      Buffer.from("name,category\n"),
      "is not an Excel workbook; save it as .xlsx or CSV UTF-8",
    ],
    ["nothing", Buffer.of(), "is not an Excel workbook; save it as .xlsx or CSV UTF-8"],
  ])("%s says what to save it as", async (_name, bytes, message) => {
    expect(await whyNot(bytes)).toBe(message);
  });

  it("is told wherever it was cut off, and whichever byte of it is another", async () => {
    const whole = workbookOf([dogs]);
    for (let size = 4; size < whole.length; size += 7)
      expect(await whyNot(whole.subarray(0, size))).toBe(damaged);
    for (let at = 4; at < whole.length; at += 3) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 0xff;
      expect(await whyNot(bytes)).toMatch(/^is a|^has a| was read$/);
    }
  });
});

/** Returns a workbook whose directory says that its sheet has these sizes. */
function forged(xml: string, { size, packed }: { size?: number; packed?: number }): Buffer {
  const bytes = changed(xml);
  const place = bytes.lastIndexOf("xl/worksheets/sheet1.xml") - 46;
  if (packed !== undefined) bytes.writeUInt32LE(packed, place + 20);
  if (size !== undefined) bytes.writeUInt32LE(size, place + 24);
  return bytes;
}

/** Returns a sheet with one cell at each of these places. */
const cellsAt = (...places: string[]): string =>
  sheetXml(
    places
      .map((place) => `<row r="${place.replace(/\D+/, "")}"><c r="${place}"><v>1</v></c></row>`)
      .join(""),
  );

const far = (corner: string): string =>
  `has cells up to ${corner}, more than can be read; clear those far from the animals, or save it as CSV UTF-8`;

const blanks = " ".repeat(2 ** 20);

describe("a hostile workbook", () => {
  it.each<[string, () => Buffer, string]>([
    [
      "that unpacks to more than 100 MB",
      () => changed(sheetXml("") + blanks.repeat(100)),
      tooLarge,
    ],
    ["that says so", () => forged(sheetXml(""), { size: 2 ** 27 }), tooLarge],
    [
      "that is larger than it says",
      () => forged(sheetXml("") + blanks.repeat(20), { size: 1000 }),
      damaged,
    ],
    ["that is smaller than it says", () => forged(sheetXml(""), { size: 2 ** 20 }), damaged],
    ["whose files overlap", () => forged(sheetXml(""), { packed: 2 ** 20 }), damaged],
    ["with a cell at the far corner", () => changed(cellsAt("XFD1048576")), far("XFD1048576")],
    [
      "with thousands of wide rows",
      () => changed(cellsAt(...Array.from({ length: 5000 }, (_, at) => `XFD${at + 1}`))),
      far("XFD5000"),
    ],
    [
      "with a row beyond all",
      () => changed(sheetXml('<row r="1e15"><c r="A1"><v>1</v></c></row>')),
      damaged,
    ],
    ["with an infinite row", () => changed(sheetXml('<row r="Infinity"/>')), damaged],
    [
      "with a row in another spelling",
      () => changed(sheetXml('<x:row x:r="&#57;99999999"><c r="A1"/></x:row>')),
      damaged,
    ],
    ["with a column beyond all", () => changed(cellsAt("ZZZ1")), damaged],
    ["with cells without places", () => changed(sheetXml("<row><c><v>1</v></c></row>")), damaged],
    ["with cells in the wrong order", () => changed(cellsAt("B2", "A1")), damaged],
    [
      "with a text that is not there",
      () => changed(sheetXml('<row r="1"><c r="A1" t="s"><v>99</v></c></row>')),
      "has a cell that cannot be read (row 1, column 1); correct it, or save the sheet as CSV UTF-8",
    ],
    [
      "with entities",
      () => changed(`<!DOCTYPE a [<!ENTITY b "${"b".repeat(99)}">]>${sheetXml("")}`),
      damaged,
    ],
    [
      "with one long text",
      () => changed(sheetXml(`<row r="1"><c r="A1"><v>${"1".repeat(2 ** 21)}</v></c></row>`)),
      damaged,
    ],
    [
      "with one long tag",
      () => changed(sheetXml(`<row r="1" ${blanks.repeat(8)}></row>`)),
      damaged,
    ],
    [
      "with one long value",
      () => changed(sheetXml(`<row r="1" a="${"<".repeat(2 ** 23)}"></row>`)),
      damaged,
    ],
    ["with one long comment", () => changed(sheetXml(`<!--${"<".repeat(2 ** 23)}-->`)), damaged],
    ["with sections that never end", () => changed(sheetXml("<![CDATA[".repeat(2 ** 20))), damaged],
    [
      "with dates that never end",
      () => changed(sheetXml(`<c ${' t="d"'.repeat(40_000)}`.repeat(10))),
      damaged,
    ],
    ["that is deeply nested", () => changed("<a>".repeat(2 ** 20)), damaged],
    [
      "with a format of brackets",
      () =>
        changed(
          `<styleSheet><numFmt numFmtId="164" formatCode="${"[".repeat(2 ** 20)}"/></styleSheet>`,
          "xl/styles.xml",
        ),
      damaged,
    ],
    [
      "with a million sheets",
      () =>
        changed(
          `<workbook>${'<sheet name="a" id="b"/>'.repeat(2 ** 20)}</workbook>`,
          "xl/workbook.xml",
        ),
      damaged,
    ],
    [
      "with text that is not UTF-8",
      () => changed(Buffer.from(sheetXml("<a>\xff</a>"), "latin1")),
      damaged,
    ],
    ["with a sheet without data", () => changed("<worksheet/>"), damaged],
    [
      "with one beside another that is wrong",
      () =>
        zipOf({
          ...workbookParts([dogs, cats]),
          "xl/worksheets/sheet1.xml": "<worksheet/>",
          "xl/worksheets/sheet2.xml": cellsAt("B2", "A1"),
        }),
      damaged,
    ],
  ])("%s is told in time", async (_name, make, message) => {
    const bytes = make();
    const before = process.cpuUsage();
    expect(await whyNot(bytes)).toBe(message);
    // Of this process, whatever else runs.
    expect(process.cpuUsage(before).user).toBeLessThan(20_000_000);
  });

  it("is read no further than tells that it is too large", async () => {
    let bytes = 0;
    function* chunks(): Generator<Buffer> {
      const chunk = Buffer.alloc(8 * 1024);
      for (chunk.write("PK\x03\x04"); bytes < 2 * maxBytes; bytes += chunk.length) yield chunk;
    }
    const file = { chunks, name: "a.xlsx" } as unknown as InputFile;
    await expect(openSheet(file, undefined)).rejects.toThrow(`a.xlsx ${tooLarge}`);
    expect(bytes).toBeLessThan(maxBytes + 64 * 1024);
  });

  it("leaves entities as they are", async () => {
    expect(
      await cellsOf({ raw: '<c r="@" t="inlineStr"><is><t>&lol;&amp;lt;</t></is></c>' }),
    ).toEqual(["&lol;&lt;"]);
  });

  it("may have empty cells with a style anywhere", async () => {
    const xml = sheetXml(
      '<row r="1"><c r="A1"><v>1</v></c><c r="XFD1" s="1"/></row><row r="1048576"><c r="XFD1048576" s="1"/></row>',
    );
    expect(await readWorkbook(changed(xml))).toMatchObject({ rows: [{ line: 1, cells: ["1"] }] });
  });
});

it("reads a hidden sheet only where no other has rows", async () => {
  const parts = workbookParts([dogs, cats]);
  const book = parts["xl/workbook.xml"] ?? "";
  const hidden = book.replace('name="Dogs"', 'name="Dogs" state="veryHidden"');
  const read = await readWorkbook(zipOf({ ...parts, "xl/workbook.xml": hidden }));
  expect(read).toMatchObject({ name: "Cats", others: ["Dogs"] });
});
