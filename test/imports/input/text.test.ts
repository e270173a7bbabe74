import { describe, expect, it } from "vitest";
import { InputText } from "../../../src/imports/input/text.ts";
import { outcomeOf } from "../support/input.ts";

/** Returns the text in these chunks, and why it ends early. */
function textOf(chunks: readonly (readonly number[] | string)[]) {
  const text = new InputText(chunks.map((chunk) => Buffer.from(chunk as string)));
  let whole = "";
  for (const piece of text) {
    // Every piece consists of whole characters.
    expect(piece).not.toContain("\uFFFD");
    whole += piece;
  }
  return { whole, fault: text.fault?.message };
}

const paw = [0xf0, 0x9f, 0x90, 0xbe];

describe("InputText", () => {
  it.each<readonly [string, readonly (readonly number[] | string)[], string]>([
    ["no chunks", [], ""],
    ["an empty chunk", [""], ""],
    ["ASCII", ["abc", "def"], "abcdef"],
    ["a byte-order mark", ["\uFEFFa"], "a"],
    ["a byte-order mark in three chunks", [[0xef], [0xbb], [0xbf], "a"], "a"],
    ["a byte-order mark alone", ["\uFEFF"], ""],
    ["a second byte-order mark", ["\uFEFF\uFEFFa"], "\uFEFFa"],
    ["a character in two chunks", [paw.slice(0, 1), paw.slice(1)], "🐾"],
    ["a character in four chunks", ["ab", ...paw.map((byte) => [byte]), "c"], "ab🐾c"],
    [
      "characters over the ends of pieces",
      ["é".repeat(10_000), "日".repeat(10_000)],
      "é".repeat(10_000) + "日".repeat(10_000),
    ],
    ["one character", [[0x61]], "a"],
  ])("reads %s", (_what, chunks, expected) => {
    expect(textOf(chunks)).toEqual({ whole: expected, fault: undefined });
  });

  it.each<readonly [string, readonly (readonly number[] | string)[], string, RegExp]>([
    ["a byte of Latin-1", ["abc", [0x64, 0xe9, 0x20]], "abcd", /invalid UTF-8/],
    ["half a character at the end", ["ab", paw.slice(0, 3)], "ab", /invalid UTF-8/],
    ["an encoded surrogate", ["abc", [0xed, 0xa0, 0x80]], "abc", /invalid UTF-8/],
    ["a byte that continues nothing", ["abc", [0x80], "d"], "abc", /invalid UTF-8/],
    ["one in a late piece", ["a".repeat(20_000), [0xff]], "a".repeat(20_000), /invalid UTF-8/],
    ["UTF-16 with its mark", [[0xff, 0xfe, 0x61, 0]], "", /is UTF-16/],
    ["UTF-16 of the other order", [[0xfe, 0xff, 0, 0x61]], "", /is UTF-16/],
    ["UTF-16 without its mark", [[0x61, 0, 0x62, 0]], "", /is UTF-16/],
    ["UTF-32", [[0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]], "", /is UTF-32; save it as UTF-8/],
    ["UTF-32 without its mark", [[0, 0, 0, 0x61, 0, 0, 0, 0x62]], "", /is UTF-32/],
    ["a ZIP file", ["PK\x03\x04"], "", /is a workbook, not text/],
    ["an old Excel workbook", [[0xd0, 0xcf, 0x11, 0xe0]], "", /is a workbook, not text/],
  ])("stops before %s", (_what, chunks, whole, fault) => {
    expect(textOf(chunks)).toEqual({ whole, fault: expect.stringMatching(fault) });
  });
});

it.each([[], ["🐾".repeat(2047)], ["a".repeat(8191), "é"]])(
  "the line of bad bytes is told, not that of a legitimate U+FFFD before them (%#)",
  async (...start) => {
    const rows = Buffer.from(`name,category\n${start.join("")}R\uFFFDx,1\nMia,2\n`);
    const bytes = Buffer.concat([
      rows,
      Buffer.from([0x52, 0xe9, 0x78]),
      Buffer.from(",3\nLeo,4\n"),
    ]);
    expect(await outcomeOf(bytes, "a.csv")).toMatchObject({
      details: ["4 invalid UTF-8; the rest of the file was not read"],
      hints: ["Save it as UTF-8 in the program that wrote it: no encoding that pets knows fits."],
    });
  },
);

it.each([
  [`${"/**/".repeat(2000)}name`, /no column/],
  [`${"/*!40101 SET NAMES utf8 */;\n".repeat(200)}INSERT INTO pets VALUES (1);\n`, /dump of SQL/],
  [`${" ".repeat(8000)}x`, /no column/],
])("what a text is can be told below many comments or blanks: %.12j", async (text, expected) => {
  const found = await outcomeOf(text, "a.csv");
  expect("details" in found && [found.message, ...found.details].join()).toMatch(expected);
});

describe("--encoding", () => {
  it.each([
    ["latin1", Buffer.from("name,category\nRéx,1", "latin1")],
    ["utf-16le", Buffer.from("\uFEFFname,category\nRéx,1", "utf16le")],
    ["utf-16be", Buffer.from("\uFEFFname,category\nRéx,1", "utf16le").swap16()],
    ["utf-8", Buffer.from("\uFEFFname,category\nRéx,1")],
  ])("%s", async (encoding, bytes) => {
    expect(await outcomeOf(bytes, "a.csv", { encoding })).toEqual(["Réx 1"]);
  });

  it("stops at the first byte that is not of it", async () => {
    const rows = Buffer.from(`name,category\n${"Rex,1\n".repeat(3000)}`, "latin1");
    const bytes = Buffer.concat([rows, Buffer.from([0x81, 0x20]), Buffer.from(",1\n")]);
    expect(await outcomeOf(bytes, "a.csv", { encoding: "shift_jis" })).toMatchObject({
      details: ["3002 invalid SHIFT_JIS; the rest of the file was not read"],
    });
  });

  it("is suggested", async () => {
    const found = await outcomeOf(Buffer.from("name,category\nRéx,1", "latin1"), "a.csv");
    expect(found).toHaveProperty(["hints", 0], "Try it with: --encoding latin1");
    const japanese = await outcomeOf(Buffer.from([0x83, 0x7c, 0x83, 0x60, 0x0a]), "a.csv");
    expect(japanese).toHaveProperty(["hints", 0], "Try it with: --encoding shift_jis");
    const utf16 = await outcomeOf(Buffer.from("\uFEFFname", "utf16le"), "a.csv");
    expect(utf16).toHaveProperty(["hints", 0], "Try it with: --encoding utf-16le");
  });

  const row = '{"name":"Rex","categoryId":1}';
  const many = 50_000;
  const far: Readonly<Record<string, (last: string) => string>> = {
    "a.csv": (last) => `name,category\n${`Rex${" ".repeat(20)},1\n`.repeat(many)}${last},2\n`,
    "a.tsv": (last) => `name\tcategoryId\n${`Rex${" ".repeat(20)}\t1\n`.repeat(many)}${last}\t2\n`,
    "a.ndjson": (last) => `${row}\n`.repeat(many) + row.replace("Rex", last),
    "a.json": (last) => `[${`${row},\n`.repeat(many)}${row.replace("Rex", last)}]`,
  };

  it.each([
    ...["windows-1252", "iso-8859-2", "koi8-r", "macintosh", "ibm866"].map((each) => [
      each,
      "a.csv",
    ]),
    ...["a.tsv", "a.ndjson", "a.json"].map((name) => ["windows-1251", name]),
  ] as [string, string][])(
    "%s of %s is refused where it is UTF-8, after a megabyte of ASCII too",
    async (encoding, name) => {
      const text = far[name]?.("Zoë") ?? "";
      expect(text.indexOf("ë")).toBeGreaterThan(1024 * 1024);
      expect(await outcomeOf(text, name, { encoding })).toEqual({
        message: expect.stringContaining(`${name} is UTF-8, not ${encoding}`),
        details: [],
        hints: ["Try it with: --encoding utf-8"],
      });
    },
  );

  it.each([
    ["ASCII alone", far["a.csv"]?.("Zoe") ?? "", "Zoe"],
    ["no UTF-8", Buffer.from(far["a.csv"]?.("Zo\u00eb") ?? "", "latin1"), "Zo\u00eb"],
    [
      "UTF-8, but not to its end",
      Buffer.concat([
        Buffer.from(far["a.csv"]?.("Zo\u00eb") ?? ""),
        Buffer.from("Zo\u00eb,2", "latin1"),
      ]),
      "Zo\u00eb",
    ],
  ])("is right for what is %s", async (_what, text, last) => {
    const found = await outcomeOf(text, "a.csv", { encoding: "latin1" });
    expect(Array.isArray(found) && found.at(-1)).toBe(`${last} 2`);
  });
});
