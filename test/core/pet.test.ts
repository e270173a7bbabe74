import { describe, expect, it } from "vitest";
import { parseExact } from "../../src/core/json/parse.ts";
import { stringifyExact } from "../../src/core/json/stringify.ts";
import { decode, decodePets, newPetSchema, petSchema } from "../../src/core/pet.ts";

const rex = '{"id":1,"name":"Rex","categoryId":2}';

describe("petSchema", () => {
  it.each([
    '{"id":-9223372036854775808,"name":"","categoryId":9223372036854775807,"status":"sold"}',
    '{"id":0,"name":"\\u0000","categoryId":9007199254740993}',
  ])("decodes %s digit for digit", (text) => {
    const decoded = decode(petSchema, parseExact(text));
    expect("value" in decoded && stringifyExact(decoded.value)).toBe(text);
  });
});

describe("decodePets", () => {
  it("accepts an empty list, and drops unknown fields", () => {
    expect(decodePets([], 100)).toEqual({ value: [] });
    const text = rex.replace("{", '{"x":1.0,"__proto__":{"status":"z"},');
    expect(decodePets(parseExact(`[${text}]`), 100)).toEqual({
      value: [{ id: 1n, name: "Rex", categoryId: 2n }],
    });
  });

  const int64 = "must be a 64-bit integer";
  it.each([
    ["null", undefined],
    ['"lost"', "lost"],
  ])("takes a status of %s as %j", (status, known) => {
    const text = `[${rex.replace("}", `,"status":${status}}`)}]`;
    expect(decodePets(parseExact(text), 100)).toMatchObject({ value: [{ status: known }] });
  });

  const status = "must be a string or left out";
  it.each<[string, readonly PropertyKey[], string]>([
    ["{}", [], "must be an array"],
    [`[${rex},3]`, [1], "must be an object"],
    [`[${rex},[]]`, [1], "must be an object"],
    ['[{"name":"a","categoryId":1}]', [0, "id"], int64],
    ['[{"id":1.0,"name":"a","categoryId":1}]', [0, "id"], int64],
    ['[{"id":9223372036854775808,"name":"a","categoryId":1}]', [0, "id"], int64],
    ['[{"__proto__":{"id":1},"name":"a","categoryId":1}]', [0, "id"], int64],
    ['[{"id":1,"categoryId":1}]', [0, "name"], "must be a string"],
    [`[{"id":1,"name":7,"categoryId":1},0]`, [0, "name"], "must be a string"],
    ['[{"id":1,"name":"a"}]', [0, "categoryId"], int64],
    [`[${rex},${rex},{"id":1,"name":"a","categoryId":1.0}]`, [2, "categoryId"], int64],
    ['[{"id":1,"name":"a","categoryId":1,"status":0}]', [0, "status"], status],
  ])("refuses %s at %j: %s", (text, path, rule) => {
    const violation = { path, rule: expect.stringContaining(rule) };
    expect(decodePets(parseExact(text), 100)).toEqual({ violation });
  });
});

describe("newPetSchema", () => {
  it.each<[string, string]>([
    ['{"categoryId":1}', "name"],
    ['{"name":" \\t\\u3000","categoryId":1}', "name"],
    ['{"name":7,"categoryId":false,"status":0}', "name"],
    ['{"name":"a","categoryId":"1"}', "categoryId"],
    ['{"name":"a","categoryId":1,"status":"Sold"}', "status"],
  ])("reports %s with the given words for %s", (text, field) => {
    const schema = newPetSchema({
      name: "the name",
      categoryId: "the categoryId",
      status: "the status",
    });
    expect(decode(schema, parseExact(text))).toEqual({
      violation: { path: [field], rule: `the ${field}` },
    });
  });
});
