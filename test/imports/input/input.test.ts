import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { invalidRows } from "../../../src/imports/input/suggest.ts";
import type { InputFormat, ReadRow } from "../../../src/imports/types.ts";
import { fileOf, type Flags, openAt, outcomeOf, read, rowsIn, rex } from "../support/input.ts";

describe("the format", () => {
  it.each<readonly [string, string, InputFormat | undefined, InputFormat]>([
    ["a.ndjson", "x", undefined, "ndjson"],
    ["a.JSONL", "[", undefined, "ndjson"],
    ["a.b.Json", "{", undefined, "json"],
    ["a.csv", "{", undefined, "csv"],
    ["a.csv", "x", "json", "json"],
    ["a.txt", "\uFEFF \n\r\t[", undefined, "json"],
    ["a", `${" ".repeat(100_000)}{}`, undefined, "ndjson"],
    ["a", '{"name":"Rex"}\n{"name"', undefined, "ndjson"],
    ["a", '\n{\n  "name": "Rex"\n}', undefined, "json"],
    ["a", '{"name":"Rex"} {"name":"Mia"}\n', undefined, "json"],
    [".csv", "", undefined, "csv"],
    ["a.TSV", "x", undefined, "tsv"],
    ["a", "\uFEFFid\tname\tcategoryId\tstatus\n", undefined, "tsv"],
    ["a", "categoryId\tname", undefined, "tsv"],
    ["a", "id\tname\tcategoryId\r\n", undefined, "csv"],
    ["a", "Name\tcategoryId\n", undefined, "csv"],
    ["a.csv", "id\tname\tcategoryId\n", undefined, "csv"],
    ["a.toString", "", undefined, "csv"],
  ])("of %s with %.10j and --format %s is %s", async (name, content, format, found) => {
    const input = await openAt(fileOf(content, name), { ...(format !== undefined && { format }) });
    expect(input.format).toBe(found);
    input.close();
  });

  it.each<readonly [string, Flags, string]>([
    ["a.json", { header: false }, "--no-header needs CSV or TSV, but the input is json"],
    ["a.ndjson", { skipLines: 1 }, "--skip-lines needs CSV or TSV, but the input is ndjson"],
    ["a.csv", { items: "x" }, "--items needs JSON, but the input is csv"],
  ])("of %s does not go with %j", async (name, flags, message) => {
    expect(await outcomeOf("", name, flags)).toMatchObject({ message });
  });
});

describe("invalid rows", () => {
  it("are counted, and the first 20 listed", async () => {
    const failure = read(`${rex}\n{}\n`.repeat(5_000), "a b.ndjson");
    const message = /^5,000 rows are invalid in .*a b\.ndjson; nothing was sent$/;
    const details = Array.from({ length: 20 }, (_, row) => ({ line: 2 * row + 2 }));
    const expected = {
      kind: "usage",
      message: expect.stringMatching(message),
      facts: { details, moreDetails: 4_980 },
    };
    await expect(failure).rejects.toMatchObject(expected);
  });

  it("are passed on like those after them", async () => {
    const input = await openAt(fileOf(`${rex}\n{}\n${rex}\n`));
    const seen: ReadRow[] = [];
    const { facts } = await input.check({ add: (batch) => void seen.push(...batch) });
    const { refusal, failure } = invalidRows(facts, input, {});
    expect(facts).toMatchObject({ rows: 3, invalid: 1 });
    expect(failure).toBe(refusal);
    expect(refusal?.message).toMatch(/^1 row is invalid in .*; nothing was sent$/);
    expect(seen.map((row) => `${row.line} ${"pet" in row}`)).toEqual([
      "1 true",
      "2 false",
      "3 true",
    ]);
    input.close();
  });
});

describe("--skip-invalid", () => {
  it("leaves out what is invalid, and tells it", async () => {
    const file = fileOf("name,category\nRex,1\n,2\nMia,x\nLeo,3\n", "a.csv");
    const input = await openAt(file, { skipInvalid: true });
    const { facts } = await input.check();
    const { failure, refusal } = invalidRows(facts, input, { skipInvalid: true });
    expect(facts).toMatchObject({ rows: 4, invalid: 2 });
    expect(refusal).toBeUndefined();
    expect(failure?.message).toMatch(/^2 rows are invalid in \S+$/);
    expect(failure?.facts.details?.map(({ line }) => line)).toEqual([3, 4]);
    expect((await rowsIn(input)).map(({ index }) => index)).toEqual([0, 3]);
    input.close();
  });

  it("sends nothing of a file that can't be read to its end", async () => {
    const text = Buffer.from("name,category\nRex,1\nR\xe9x,2\n", "latin1");
    expect(await outcomeOf(text, "a.csv", { skipInvalid: true })).toMatchObject({
      message: "1 row is invalid; nothing was sent; it may be latin1: Réx",
    });
  });
});

const marked = { delimiter: ";", lineEnd: "\r\n", hasByteOrderMark: true };
const plain = { lineEnd: "\n", hasByteOrderMark: false };

it.each<readonly [string, string, readonly unknown[], object]>([
  [
    "a.csv",
    '\uFEFFname;category; Ort\r\n"Rex";1;"a;b"\r\n;2\r\n',
    [
      ["Rex", "1", "a;b"],
      ["", "2"],
    ],
    { ...marked, columns: ["name", "category", "Ort"] },
  ],
  [
    "a.tsv",
    "name\tcategoryId\tx\nR\\tx\t1\ty\n",
    [["R\tx", "1", "y"]],
    { ...plain, delimiter: "\t", columns: ["name", "categoryId", "x"] },
  ],
  ["a.json", '[ {"name":"Rex","n":1.0},\n7]', ['{"name":"Rex","n":1.0}', "7"], plain],
  ["a.ndjson", '{"name":"Rex"}\n\n{"x":1}', ['{"name":"Rex"}', '{"x":1}'], plain],
])("the records of %s have all that the file has", async (name, text, originals, shape) => {
  const input = await openAt(fileOf(text, name), { ignoreFields: true });
  const checked = await input.check();
  const records = (await Array.fromAsync(input.records())).flat();
  expect(records.map(({ original }) => original)).toEqual(originals);
  expect(checked.shape).toEqual(shape);
  input.close();
});

async function hashOf(flags: Flags, name = "a.csv", row = "Rex\t1"): Promise<string> {
  const input = await openAt(fileOf(`name\tcategoryId\n${row}\n`, name), flags);
  const { hash } = await input.check();
  input.close();
  return hash;
}

describe("the hash", () => {
  it("is another one for each way of reading the same bytes", async () => {
    const readings: readonly Flags[] = [
      {},
      { format: "tsv" },
      { ignoreFields: true },
      { map: ["name=name"] },
      { value: ["category:1=2"] },
      { value: ["category:1=3"] },
      { status: "sold" },
      { category: 1n },
      { name: "Rex" },
      { skipLines: 1 },
      { value: ["category:1*=2"] },
      { value: ["status:sold="] },
      { key: "name" },
      { key: "name", repeats: "first" },
      { key: "name", repeats: "last" },
      { encoding: "windows-1252" },
      { header: false, map: ["#1=name", "#2=category"], value: ["category:categoryId=1"] },
    ];
    const hashes = await Promise.all(readings.map((flags) => hashOf(flags)));
    expect(new Set(hashes).size).toBe(readings.length);
    expect(await hashOf({}, "a.tsv")).toBe(hashes[1]);
    expect(hashes).not.toContain(await hashOf({}, "a.csv", "Rex\t2"));
  });

  it.each<[string, ...Flags[]]>([
    ["maps", { map: ["Name=name", "Art = x=status"] }, { map: ["art  = X=Status", " NAME=name"] }],
    [
      "categories",
      { map: ["name=category"] },
      { map: ["Name=categoryId"] },
      { map: ["Name=CATEGORYID"] },
    ],
    [
      "values",
      { value: ["category:Dog=1", "status:x=sold", "status:y*="] },
      { value: ["Status:Y*=", "status: X = SOLD", "categoryid:dog= 1", "CATEGORY:DOG=1"] },
    ],
    ["keys", { key: "Chip  No" }, { key: " chip no" }],
    ["encodings", { encoding: "latin1" }, { encoding: "windows-1252" }, { encoding: "ISO-8859-1" }],
  ])("is the same for %s in any order and spelling", async (_what, ...spellings) => {
    const hashes = await Promise.all(spellings.map((flags) => hashOf(flags)));
    expect(new Set(hashes).size).toBe(1);
    expect(hashes[0]).not.toBe(await hashOf({}));
  });

  it("of a plain file is what it always was: an import that is left goes on", async () => {
    const reading = '{"format":"csv","map":[],"value":[],"header":true,"encoding":"utf-8"}';
    const hash = createHash("sha256").update(`${reading}name\tcategoryId\nRex\t1\n`);
    expect(await hashOf({})).toBe(hash.digest("hex"));
  });

  it.each<[string, Flags, string?]>([
    ["a format that is given and detected", { format: "csv" }],
    ["the encoding that is given and the default", { encoding: "utf-8" }],
    ["a file of another name", {}, "b.csv"],
    ["a run that skips invalid rows", { skipInvalid: true }],
    ["options that are given with their defaults", { map: [], value: [], header: true }],
  ])("is the same for %s", async (_what, flags, name) => {
    expect(await hashOf(flags, name)).toBe(await hashOf({}));
  });
});
