import { describe, expect, it } from "vitest";
import { addValues } from "../../../src/imports/input/row.ts";
import {
  faultsOf,
  type Flags,
  outcomeOf,
  int64Range,
  int64Rule,
  rex,
  statusRule,
} from "../support/input.ts";

const notField = "is not a field of an animal (name, categoryId, status)";

describe("an invalid row", () => {
  it.each([
    ['{"categoryId":1}', "name is missing"],
    ['{"name":"","categoryId":1}', "name must not be empty"],
    ['{"name":" \\t\\u3000","categoryId":1}', "name must not be empty"],
    ['{"name":5,"categoryId":1}', "name must be a string, not 5"],
    ['{"name":null,"categoryId":1}', "name is missing"],
    ['{"name":["x"],"categoryId":1}', "name must be a string, not an array"],
    ['{"name":"Rex"}', "categoryId is missing"],
    ['{"name":"Rex","categoryId":"1.0"}', `categoryId ${int64Rule}, not "1.0"`],
    ['{"name":"Rex","categoryId":1.0}', `categoryId ${int64Rule}, not 1.0`],
    ['{"name":"Rex","categoryId":1e3}', `categoryId ${int64Rule}, not 1e3`],
    [
      '{"name":"Rex","categoryId":9223372036854775808}',
      `categoryId ${int64Range}, not 9223372036854775808`,
    ],
    ['{"name":"Rex","categoryId":true}', `categoryId ${int64Rule}, not true`],
    ['{"name":"Rex","categoryId":[1]}', `categoryId ${int64Rule}, not an array`],
    ['{"name":"Rex","categoryId":{"a":1}}', `categoryId.a ${notField}; categoryId is missing`],
    [
      '{"name":"Rex","categoryId":1,"status":"avialable"}',
      `status ${statusRule}, not "avialable"; did you mean "available"?`,
    ],
    ['{"name":"Rex","categoryId":1,"status":true}', `status ${statusRule}, not true`],
    [
      '{"name":"Rex","categoryId":1,"Category":1}',
      "has more than one key for categoryId: categoryId, Category",
    ],
    [
      '{"name":"","categoryId":"x7","status":"x"}',
      `name must not be empty; categoryId ${int64Rule}, not "x7"; status ${statusRule}, not "x"`,
    ],
    [
      '{"age":1,"size":2,"name":""}',
      `age ${notField}; size is not a field of an animal; name must not be empty; categoryId is missing`,
    ],
    ['{"toString":1,"name":"a","categoryId":1}', `toString ${notField}`],
    ['{"name":"Rex","categoryId":1,"__proto__":1}', `__proto__ ${notField}`],
    ["[]", "must be a JSON object, not an array"],
    ["null", "must be a JSON object, not null"],
    ['"Rex"', 'must be a JSON object, not "Rex"'],
    ["1.50", "must be a JSON object, not 1.50"],
    ["-17", "must be a JSON object, not -17"],
  ])("%s", async (row, fault) => {
    expect(await faultsOf(`\n${row}\n${rex}`, "a.ndjson")).toEqual([`2 ${fault}`]);
  });
});

describe("--value and defaults", () => {
  const animals = "name,category,status\nRex, dog ,ADOPTION\n,Cat,\nMia,7,Transfer\n";
  const value = ["category:Dog=1", "category: CAT =2", "status:adoption=SOLD"];

  it.each<readonly [Flags, unknown]>([
    [
      { value: [...value, "category:*=9", "status:*=pending"], name: "Stray" },
      ["Rex 1 sold", "Stray 2", "Mia 7 pending"],
    ],
    [
      { value: [...value, "status:=available", "status:transfer=sold", "name:=None"] },
      ["Rex 1 sold", "None 2 available", "Mia 7 sold"],
    ],
    [
      { value: [...value, "status:*=pending"], name: "Stray", status: "available" },
      ["Rex 1 sold", "Stray 2 available", "Mia 7 pending"],
    ],
  ])("%j", async (flags, expected) => {
    expect(await outcomeOf(animals, "a.csv", flags)).toEqual(expected);
  });

  const words =
    "name,category,status\nA,3,Adopted 2024\nB,Hund,ADOPTED (foster)\nC,Hundchen,adopted\nD,x,sold\n";

  it.each<[string[], string[]]>([
    [
      [
        "category:*=9",
        "category:h*=2",
        "category: Hund* =1",
        "status:Adopted*=sold",
        "status:adopted=pending",
        "status:adopted (*=available",
      ],
      ["A 3 sold", "B 1 available", "C 1 pending", "D 9 sold"],
    ],
    [
      [
        "category:hund=7",
        "category:Hund*=1",
        "category:3*=4",
        "category:*=5",
        "status:*=available",
        "status:adopted*=",
      ],
      ["A 4", "B 7", "C 1", "D 5 sold"],
    ],
    [
      ["category:*=9", "category:**=8", "status:*="],
      ["A 3", "B 9", "C 9", "D 9 sold"],
    ],
  ])(
    "%j: an exact text beats the longest beginning, and that all others",
    async (given, expected) => {
      expect(await outcomeOf(words, "a.csv", { value: given })).toEqual(expected);
      expect(await outcomeOf(words, "a.csv", { value: given.toReversed() })).toEqual(expected);
    },
  );

  it("may stand for a column that is not there", async () => {
    const defaults = { category: 3n, status: "sold" } as const;
    expect(await outcomeOf("name\nRex\n", "a.csv", defaults)).toEqual(["Rex 3 sold"]);
    const json =
      '{"name":"Rex","categoryId":null}\n{"name":"Mia","categoryId":4,"status":"pending"}';
    expect(await outcomeOf(json, "a.ndjson", defaults)).toEqual(["Rex 3 sold", "Mia 4 pending"]);
  });

  it("translate the texts and numbers of JSON", async () => {
    const json = '[{"name":"Rex","categoryId":"Dog","status":1}]';
    const flags = { value: ["category:dog=1", "status:1=sold"] };
    expect(await outcomeOf(json, "a.json", flags)).toEqual(["Rex 1 sold"]);
  });

  it.each([
    ["dog=1", "--value must be FIELD:TEXT=VALUE, with name, category or status as FIELD"],
    ["breed:dog=1", "--value must be FIELD:TEXT=VALUE"],
    ["category:dog", "--value must be FIELD:TEXT=VALUE"],
    ["category:dog=one", 'must be an integer, not "one"'],
    ["status:gone=x", 'status must be available, pending or sold, not "x"'],
    ["name:x= ", "name must not be empty"],
  ])("refuse %j", (text, message) => {
    expect(() => addValues(new Map(), [text])).toThrow(message);
  });

  it.each([
    ["category:Dog=<id>", "categoryId: replace <id> with an integer"],
    ["status:x=<status>", "status: replace <status> with available, pending or sold"],
    ["name:x=<name>", "name: replace <name> with a name"],
  ])("say that in %j the word is to be replaced", (text, message) => {
    expect(() => addValues(new Map(), [text])).toThrow(`--value "${text}": ${message}`);
  });

  it("refuse two values for one text", () => {
    expect(() => addValues(new Map(), ["category:Dog=1", "category:dog =2"])).toThrow(
      '--value gives "dog " two values for categoryId',
    );
    expect(addValues(new Map(), ["category:Dog=1", "category:dog=1"]).size).toBe(1);
  });
});
