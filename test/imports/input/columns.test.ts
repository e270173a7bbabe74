import { describe, expect, it } from "vitest";
import type { Failure } from "../../../src/core/errors.ts";
import { parseColumnMap } from "../../../src/imports/input/columns.ts";
import { type Flags, outcomeOf, read } from "../support/input.ts";

describe("--map", () => {
  it.each<readonly [string, string, readonly string[], object]>([
    ["a.csv", "Tier,name,categoryId\nRex,x,1", ["Tier=name"], ["Rex 1"]],
    ["a.csv", "Tier,Art\nRex,1", ["tier=name", "ART =category"], ["Rex 1"]],
    ["a.csv", ",kind\nRex,1", ["#1=name", "kind=category"], ["Rex 1"]],
    ["a.csv", "name,name,category\nRex,x,1", ["#1=name"], ["Rex 1"]],
    [
      "a.csv",
      "#2,name,category\n7,Rex,1",
      ["#2=status", "name=name"],
      { details: [expect.stringMatching(/^2 status .*, not "7"$/)] },
    ],
    [
      "a.ndjson",
      '{"pet":{"called":"Rex"},"kind":"1","state":"SOLD"}',
      ["pet.called=name", "kind=category", "state=status"],
      ["Rex 1 sold"],
    ],
    [
      "a.ndjson",
      '{"a.b":"Rex","a":{"b":"x"},"categoryId":1}',
      ["a.b=name"],
      { details: [expect.stringMatching(/^1 a\.b is not a field/)] },
    ],
    ["a.json", '[{"name":"x","dog":"Rex","categoryId":1}]', ["dog=name"], ["Rex 1"]],
  ])("of %s with %j: %j", async (name, text, map, expected) => {
    expect(await outcomeOf(text, name, { map })).toMatchObject(expected);
  });

  it.each(["a", "a=", "=name", "a=id", " =name"])("refuses %j", (text) => {
    expect(() => parseColumnMap([text])).toThrow(
      `--map must be COLUMN=FIELD, with name, categoryId or status as FIELD, not ${JSON.stringify(text)}`,
    );
  });

  it.each<readonly [string[], string]>([
    [["Animal=name", "ANIMAL=status"], '--map "ANIMAL=status" contradicts --map "Animal=name"'],
    [["Animal=name", "Tier=name"], '--map "Tier=name" contradicts --map "Animal=name"'],
  ])("refuses %j", (values, message) => {
    expect(() => parseColumnMap(values)).toThrow(message);
  });

  it("takes the same mapping twice", () => {
    expect(parseColumnMap(["Animal=name", "animal=name"]).size).toBe(1);
  });
});

const columns = "the columns are name, categoryId, status";
const placeholders = "--map '<column>=name' --map '<column>=categoryId'";

describe("a header", () => {
  it.each<readonly [string, Flags, string, string | undefined]>([
    [
      "Animal Name,Animal Type,Outcome Type,Color\nRex,Dog,x,y",
      {},
      `no column for name and categoryId; unknown columns "Animal Name", "Animal Type", "Outcome Type", "Color"; ${columns}`,
      "--map 'Animal Name=name' --map 'Animal Type=categoryId' --ignore-fields",
    ],
    [
      "nmae,category,staus\n",
      {},
      `no column for name; unknown columns "nmae" (did you mean "name"?), "staus" (did you mean "status"?); ${columns}`,
      "--map nmae=name --map staus=status",
    ],
    [
      "name,x\n",
      { map: ["Tier=name", "Art=category"] },
      `--map names "Tier", "Art", but the columns are name, x; no column for categoryId; unknown column "x"; ${columns}`,
      undefined,
    ],
    [
      "Chip,Owner Name,State,Cat\n",
      {},
      `no column for name and categoryId; unknown columns "Chip", "Owner Name", "State" (did you mean "status"?), "Cat" (did you mean "categoryId"?); ${columns}`,
      `${placeholders} --ignore-fields`,
    ],
    [
      ",Name,,Ort\n",
      { ignoreFields: true },
      "no column for categoryId",
      "--map '<column>=categoryId'",
    ],
    [
      ",Name,Species\n",
      {},
      `no column for categoryId; unknown column "Species"; ${columns}`,
      "--map Species=categoryId --ignore-fields",
    ],
    [
      "name,categoryId, Name ,x\n",
      {},
      "the header has more than one column for name: name, Name",
      "--map '#1=name'",
    ],
    ["name\nRex", {}, "no column for categoryId", "--category '<id>'"],
    [
      "Rex;1;2024-01-05;SOLD\n",
      {},
      'expected a header such as name,categoryId,status; the first row is #1 "Rex", #2 "1", #3 "2024-01-05", #4 "SOLD"',
      `--no-header ${placeholders} --map '#4=status' --ignore-fields`,
    ],
    [
      "Rex,1\n",
      { header: false },
      'no column for name and categoryId; the first row is #1 "Rex", #2 "1"',
      placeholders,
    ],
    [
      "276001234,Rex,Dog\n",
      { header: false, map: ["#2=name"] },
      'no column for categoryId; the first row is #1 "276001234", #2 "Rex", #3 "Dog"',
      "--map '<column>=categoryId' --ignore-fields",
    ],
  ])("%j with %j", async (text, flags, detail, hint) => {
    expect(await outcomeOf(text, "a.csv", flags)).toEqual({
      message: "invalid header; nothing was sent",
      details: [`1 ${detail}`],
      hints: hint === undefined ? [] : [`Try it with: ${hint}`],
    });
  });

  it("may be missing", async () => {
    const flags = { header: false, map: ["#1=name", "#3=category"] };
    expect(await outcomeOf("Rex,,1\nMia,,2\n", "a.csv", flags)).toEqual(["Rex 1", "Mia 2"]);
    const found = await outcomeOf("Rex,x,1\n", "a.csv", flags);
    expect(found).toHaveProperty("hints", ["Try it with: --ignore-fields"]);
    const ignoring = { ...flags, ignoreFields: true };
    expect(await outcomeOf("Rex,x,1\n", "a.csv", ignoring)).toEqual(["Rex 1"]);
  });

  it("may have columns of results, which are ignored", async () => {
    const text = "name,categoryId,Outcome,ID,error\nRex,1,added,7,\n";
    expect(await outcomeOf(text, "a.csv")).toEqual(["Rex 1"]);
    const json = '{"name":"Rex","categoryId":1,"outcome":"x","id":null,"error":{"code":"x"}}';
    expect(await outcomeOf(json, "a.ndjson")).toEqual(["Rex 1"]);
  });

  it.each(["\n", "\r\n", "\r"])("may come after titles that end with %j", async (end) => {
    const text = ["Shelter, 2026", "", "name,category", "Rex,1", ",2"].join(end);
    const flags = { skipLines: 2 };
    expect(await outcomeOf(text, "a.csv", flags)).toMatchObject({
      details: ["5 name must not be empty"],
    });
    expect(await outcomeOf(text, "a.csv", { ...flags, skipLines: 9 })).toMatchObject({
      message: expect.stringMatching(/a\.csv has no lines after --skip-lines 9$/),
    });
  });
});

it.each<[string, string, string, Flags, (string | undefined)[]]>([
  [
    "a column, in any case",
    "a.csv",
    "name,Chip,category\nRex, A 1 ,1\nMia,,1\n",
    { key: "chip " },
    ["A 1", ""],
  ],
  ["its place", "a.csv", "name,category,\nRex,1,7\n", { key: "#3" }, ["7"]],
  [
    "a place without a header",
    "a.csv",
    "7,Rex,1\n",
    { key: "#1", header: false, map: ["#2=name", "#3=category"] },
    ["7"],
  ],
  [
    "a column that is ignored",
    "a.tsv",
    "id\tname\tcategoryId\n07\tRex\t1\n",
    { key: "ID" },
    ["07"],
  ],
  ["a column of a field", "a.csv", "name,category\nRex,1\n", { key: "name" }, ["Rex"]],
  [
    "a key of JSON",
    "a.ndjson",
    '{"name":"Rex","categoryId":1,"chip":1e3}\n{"name":"Mia","categoryId":1,"chip":null}',
    { key: "chip" },
    ["1e3", ""],
  ],
  [
    "a path",
    "a.json",
    '[{"name":"Rex","categoryId":1,"ids":{"chip":9007199254740993}},{"name":"Mia","categoryId":1}]',
    { key: "ids.chip" },
    ["9007199254740993", ""],
  ],
])("identifies animals by %s", async (_what, file, text, flags, keys) => {
  expect((await read(text, file, flags)).map(({ key }) => key)).toEqual(keys);
});

it.each([
  ["a.csv", "name,category\nRex,1\n", /--key names "Chp", but the columns are name, category$/],
  ["a.ndjson", '{"name":"Rex","categoryId":1}', /^--key names "Chp", but no row has it/],
])("names a key as it was typed that no row of %s has", async (file, text, message) => {
  const failure = await read(text, file, { key: "Chp" }).catch((error: unknown) => error);
  const { message: whole, hints, facts } = failure as Failure;
  expect(facts.details?.[0]?.message ?? whole).toMatch(message);
  expect(hints).toEqual([]);
});
