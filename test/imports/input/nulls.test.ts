import { describe, expect, it } from "vitest";
import { type Flags, outcomeOf, read, statusRule } from "../support/input.ts";

const nulls = [
  "NULL",
  "\\N",
  "None",
  "NaN",
  "#N/A",
  "#REF!",
  "#Name?",
  "nil",
  "undefined",
  "nUlL",
  "\\n",
  " none\t",
];

const csv = (cell: string) =>
  `name;category;status;chip\nRex;1;${cell};${cell}\nMia;${cell};sold;7\n${cell};3;sold;8\n`;

describe.each(nulls)("%j in CSV", (text) => {
  it("is absent in every field, and no key", async () => {
    const given: Flags = { key: "chip", category: 2n, name: "Tom" };
    const rows = await read(csv(text), "a.csv", given);
    expect(rows).toMatchObject([
      { pet: { name: "Rex", categoryId: 1n }, key: "" },
      { pet: { name: "Mia", categoryId: 2n }, key: "7" },
      { pet: { name: "Tom", categoryId: 3n }, key: "8" },
    ]);
    expect(rows[0]?.pet).not.toHaveProperty("status");
    expect(await outcomeOf(csv(text), "a.csv", { key: "chip" })).toMatchObject({
      details: ["3 categoryId is missing", "4 name is missing"],
    });
  });

  it("is itself in quotes", async () => {
    const value = [`category:${text}=2`, `status:${text}=pending`];
    const [rex, mia, own] = await read(csv(`"${text}"`), "a.csv", { key: "chip", value });
    expect([rex?.pet.status, rex?.key, mia?.pet.categoryId, own?.pet.name]).toEqual([
      "pending",
      text.trim(),
      2n,
      text,
    ]);
  });

  it("is what a --value makes of it that names it", async () => {
    const word = text.trim();
    const value = [`name:${word}=${word}`, `category:${word}=5`, `status:${word}=sold`];
    expect(await outcomeOf(csv(text), "a.csv", { key: "chip", value })).toEqual([
      "Rex 1 sold",
      "Mia 5 sold",
      `${word} 3 sold`,
    ]);
    const others = ["category:*=5", "status:*=sold"];
    expect(await outcomeOf(csv(text), "a.csv", { key: "chip", value: others })).toMatchObject({
      details: ["3 categoryId is missing", "4 name is missing"],
    });
  });
});

it.each<[string, string, object]>([
  ["a.tsv", "name\tcategoryId\nNULL\t1\nNone\t2\n", ["NULL 1", "None 2"]],
  [
    "a.tsv",
    "name\tcategoryId\tstatus\nRex\t1\tNULL\n",
    { details: [`2 status ${statusRule}, not "NULL"`] },
  ],
  ["a.ndjson", '{"name":"NULL","categoryId":1}', ["NULL 1"]],
  [
    "a.ndjson",
    '{"name":"Rex","categoryId":1,"status":"NULL"}',
    { details: [`1 status ${statusRule}, not "NULL"`] },
  ],
  ["a.json", '[["name","category"],["NULL",1]]', ["NULL 1"]],
  ["a.ndjson", '{"name":"Rex","categoryId":1,"status":null,"age":null}', ["Rex 1"]],
  [
    "a.ndjson",
    '{"name":null,"categoryId":null}',
    { details: ["1 name is missing; categoryId is missing"] },
  ],
  ["a.json", '[["name","category"],[null,1]]', { details: ["2 name must not be empty"] }],
])("in %s: %s", async (name, text, expected) => {
  expect(await outcomeOf(text, name)).toMatchObject(expected);
});

it.each<[string, string[], string[]]>([
  ["NULL;3;\nRex;1;sold\nMia;2;sold\n", ["2 name is missing"], ["Try it with: --name '<name>'"]],
  [
    "Hunde;NULL;NULL\nRex;NULL;sold\nMia;NULL;sold\n",
    ["2 looks like a heading or a total", "3 categoryId is missing", "4 categoryId is missing"],
    [],
  ],
])("is no text of a heading: %j", async (rows, details, hints) => {
  const found = await outcomeOf(`name;category;status\n${rows}`, "a.csv");
  expect(found).toMatchObject({ details, hints });
});

it.each([null, '"NULL"', '"nil"'])("a key of JSON is none as null alone: %s", async (chip) => {
  const [row] = await read(`{"name":"Rex","categoryId":1,"chip":${chip}}`, "a.ndjson", {
    key: "chip",
  });
  expect(row?.key).toBe(JSON.parse(chip ?? '""'));
});
