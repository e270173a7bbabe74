import { describe, expect, it } from "vitest";
import { decodeError, decodePet, decodePets } from "../../src/core/pet-shapes.ts";
import { parseExact } from "../../src/core/json/parse.ts";
import { stringifyExact } from "../../src/core/json/stringify.ts";

const rex = '{"id":1,"name":"Rex","categoryId":2}';

describe("asPets", () => {
  it("takes an empty list, and drops unknown fields", () => {
    expect(decodePets([])).toEqual([]);
    const text = rex.replace("{", '{"x":1.0,"__proto__":{"status":"z"},');
    expect(decodePets(parseExact(`[${text}]`))).toEqual([{ id: 1n, name: "Rex", categoryId: 2n }]);
  });

  it.each(["{}", "null", `[${rex},3]`, `[${rex},{}]`, rex])("takes no %s", (text) => {
    expect(decodePets(parseExact(text))).toBeUndefined();
  });
});

describe("asPet", () => {
  it.each([
    '{"id":-9223372036854775808,"name":"","categoryId":9223372036854775807,"status":"sold"}',
    '{"id":0,"name":"\\u0000","categoryId":9007199254740993}',
  ])("takes %s digit for digit", (text) => {
    expect(stringifyExact(decodePet(parseExact(text)))).toBe(text);
  });
});

describe("asErrorBody", () => {
  it.each<[string, boolean]>([
    ['{"code":"a","message":"b","status":400}', true],
    ['{"code":"a","message":"b","status":400,"more":[]}', true],
    ['{"code":"a","message":"b"}', false],
    ['{"code":"a","message":"b","status":"400"}', false],
    ['{"code":"a","message":"b","status":400.5}', false],
    ['{"code":1,"message":"b","status":400}', false],
    ['{"code":"a","message":["b"],"status":400}', false],
    ['{"message":"b","status":400}', false],
    ["[]", false],
    ["null", false],
    ['"gone"', false],
  ])("%s: %s", (text, expected) => {
    expect(decodeError(parseExact(text)) !== undefined).toBe(expected);
  });
});
