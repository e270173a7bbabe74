import { describe, expect, it } from "vitest";
import { asErrorBody, checkNewPet, checkPet, checkPets } from "../../src/api/schemas.ts";
import { parseExact } from "../../src/json/parse.ts";
import { stringifyExact } from "../../src/json/stringify.ts";

const rex = '{"id":1,"name":"Rex","categoryId":2}';

describe("checkPets", () => {
  it.each<[string, string, string]>([
    ["{}", "", "must be an array"],
    ["null", "", "must be an array"],
    [`[${rex},3]`, "[1]", "must be an object"],
    [`[${rex},[]]`, "[1]", "must be an object"],
    [`[${rex},null]`, "[1]", "must be an object"],
    ['[{"name":"a","categoryId":1}]', "[0].id", "must be an int64, in digits"],
    [`[${rex},${rex},${rex},{"id":1,"name":"a","categoryId":1.0}]`, "[3].categoryId", "int64"],
  ])("%s breaks at %j: %s", (text, place, rule) => {
    expect(checkPets(parseExact(text))).toEqual({
      violation: { place, rule: expect.stringContaining(rule) },
    });
  });

  it("takes an empty list, and one with unknown fields", () => {
    expect(checkPets([])).toEqual({ value: [] });
    expect(
      checkPets(parseExact(`[${rex.replace("{", '{"x":1.0,"__proto__":{"status":"z"},')}]`)),
    ).toEqual({
      value: [{ id: 1n, name: "Rex", categoryId: 2n }],
    });
  });
});

describe("checkPet", () => {
  it.each<[string, string]>([
    ['{"id":1.0,"name":"a","categoryId":1}', "id"],
    ['{"id":1e3,"name":"a","categoryId":1}', "id"],
    ['{"id":"1","name":"a","categoryId":1}', "id"],
    ['{"id":9223372036854775808,"name":"a","categoryId":1}', "id"],
    ['{"id":null,"name":"a","categoryId":1}', "id"],
    ['{"id":1,"categoryId":1}', "name"],
    ['{"id":1,"name":5,"categoryId":1}', "name"],
    ['{"id":1,"name":"a"}', "categoryId"],
    ['{"id":1,"name":"a","categoryId":true}', "categoryId"],
    ['{"id":1,"name":"a","categoryId":1,"status":"lost"}', "status"],
    ['{"id":1,"name":"a","categoryId":1,"status":null}', "status"],
    ['{"id":1,"name":"a","categoryId":1,"status":""}', "status"],
    ['{"__proto__":{"id":1},"name":"a","categoryId":1}', "id"],
    ["[]", ""],
  ])("%s breaks at %j", (text, place) => {
    expect(checkPet(parseExact(text))).toMatchObject({ violation: { place } });
  });

  it.each([
    '{"id":-9223372036854775808,"name":"","categoryId":9223372036854775807,"status":"sold"}',
    '{"id":0,"name":"\\u0000","categoryId":9007199254740993}',
  ])("takes %s digit for digit", (text) => {
    const checked = checkPet(parseExact(text));
    expect(stringifyExact("value" in checked && checked.value)).toBe(text);
  });
});

describe("checkNewPet", () => {
  it("drops an id, and needs a name and a category", () => {
    expect(checkNewPet(parseExact(rex))).toEqual({ value: { name: "Rex", categoryId: 2n } });
    expect(checkNewPet({ name: "Rex" })).toMatchObject({ violation: { place: "categoryId" } });
  });
});

describe("asErrorBody", () => {
  it.each<[string, boolean]>([
    ['{"code":"a","message":"b","status":400}', true],
    ['{"code":"a","message":"b","status":400,"more":[]}', true],
    ['{"code":"a","message":"b"}', false],
    ['{"code":"a","message":"b","status":"400"}', false],
    ['{"code":1,"message":"b","status":400}', false],
    ['{"message":"b","status":400}', false],
    ["[]", false],
    ["null", false],
    ['"gone"', false],
  ])("%s: %s", (text, expected) => {
    expect(asErrorBody(parseExact(text)) !== undefined).toBe(expected);
  });
});
