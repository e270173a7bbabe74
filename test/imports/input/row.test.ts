import { describe, expect, it } from "vitest";
import { parseValueMap } from "../../../src/imports/input/row.ts";
import { faultsOf, type Flags, outcomeOf } from "../support/input.ts";
import { invalidRows, rex } from "../support/invalid-rows.ts";

describe("an invalid row", () => {
  it.each(invalidRows)("%s", async (row, fault) => {
    expect(await faultsOf(`\n${row}\n${rex}`, "a.ndjson")).toEqual([`2 ${fault}`]);
  });
});

describe("--value and defaults", () => {
  const animals = "name,category,status\nRex, dog ,ADOPTION\n,Cat,\nMia,7,Transfer\n";
  const value = ["category:Dog=1", "category: CAT =2", "status:adoption=SOLD"];

  it.each<readonly [Flags, unknown]>([
    [
      { value: [...value, "category:*=9", "status:*=pending"], defaults: { name: "Stray" } },
      ["Rex 1 sold", "Stray 2", "Mia 9 pending"],
    ],
    [
      { value: [...value, "status:=available", "status:transfer=sold", "name:=None"] },
      ["Rex 1 sold", "None 2 available", "Mia 7 sold"],
    ],
    [
      { value: [...value, "status:*=pending"], defaults: { name: "Stray", status: "available" } },
      ["Rex 1 sold", "Stray 2 available", "Mia 7 pending"],
    ],
  ])("%j", async (flags, expected) => {
    expect(await outcomeOf(animals, "a.csv", flags)).toEqual(expected);
  });

  it("may stand for a column that is not there", async () => {
    const defaults = { categoryId: 3n, status: "sold" } as const;
    expect(await outcomeOf("name\nRex\n", "a.csv", { defaults })).toEqual(["Rex 3 sold"]);
    const json =
      '{"name":"Rex","categoryId":null}\n{"name":"Mia","categoryId":4,"status":"pending"}';
    expect(await outcomeOf(json, "a.ndjson", { defaults })).toEqual([
      "Rex 3 sold",
      "Mia 4 pending",
    ]);
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
    ["status:gone=x", 'status must be one of available, pending, sold, not "x"'],
    ["name:x= ", "name must not be empty"],
  ])("refuse %j", (text, message) => {
    expect(() => parseValueMap([text])).toThrow(message);
  });

  it("refuse two values for one text", () => {
    expect(() => parseValueMap(["category:Dog=1", "category:dog =2"])).toThrow(
      '--value gives "dog " two values for categoryId',
    );
    expect(parseValueMap(["category:Dog=1", "category:dog=1"]).size).toBe(1);
  });
});
