import { describe, expect, it } from "vitest";
import { parseExact } from "../../../src/core/json/parse.ts";
import { excerpt } from "../../../src/imports/input/columns.ts";
import { parseRow, parseValue } from "../../../src/imports/input/row.ts";
import { int64Range, int64Rule, notField, statusRule } from "../support/invalid-rows.ts";

const strict = { ignoreFields: false };

describe("parseRow", () => {
  it.each<readonly [string, object]>([
    ['{"name":"Rex","categoryId":1}', { name: "Rex", categoryId: 1n }],
    ['{"name":" a ","categoryId":-0,"id":"x"}', { name: " a ", categoryId: 0n }],
    [
      '{"name":"\\ud800","categoryId":9223372036854775807,"status":"sold"}',
      { name: "\ud800", categoryId: 2n ** 63n - 1n, status: "sold" },
    ],
  ])("accepts %s", (json, pet) => {
    const fields = parseExact(json) as Record<string, unknown>;
    expect(parseRow(fields, strict)).toStrictEqual(pet);
  });

  it.each<readonly [string, string, string]>([
    ["{}", "name", "is missing; categoryId is missing"],
    [
      '{"name":" \\t","categoryId":"x"}',
      "name",
      `must not be empty; categoryId ${int64Rule}, not "x"`,
    ],
    ['{"name":7,"categoryId":1}', "name", "must be a string, not 7"],
    ['{"name":"a"}', "categoryId", "is missing"],
    ['{"name":"a","categoryId":"007"}', "categoryId", `${int64Rule}, not "007"`],
    [
      '{"name":"","categoryId":"7","status":"x"}',
      "name",
      `must not be empty; categoryId ${int64Rule}, not "7"; status ${statusRule}, not "x"`,
    ],
    [
      '{"name":"a","categoryId":9223372036854775808}',
      "categoryId",
      `${int64Range}, not 9223372036854775808`,
    ],
    [
      '{"name":"a","categoryId":1,"status":"pendng"}',
      "status",
      `${statusRule}, not "pendng"; did you mean "pending"?`,
    ],
    ['{"name":"a","categoryId":1,"status":0}', "status", `${statusRule}, not 0`],
    ['{"toString":1,"name":"a","categoryId":1}', "toString", notField],
    [
      '{"age":1,"size":2,"name":""}',
      "age",
      `${notField}; size is not a field of an animal; name must not be empty; categoryId is missing`,
    ],
  ])("refuses %s: %s %s", (json, field, message) => {
    const fields = parseExact(json) as Record<string, unknown>;
    expect(parseRow(fields, strict)).toMatchObject({ field, message });
  });

  it("ignores unknown fields with --ignore-fields", () => {
    const fields = { age: 1, name: "a", categoryId: 1 };
    const pet = { name: "a", categoryId: 1n };
    expect(parseRow(fields, { ignoreFields: true })).toEqual(pet);
  });
});

describe("parseValue", () => {
  it.each([
    ["[]", "an array"],
    ["null", "null"],
    ["true", "true"],
    ['"{}"', '"{}"'],
    ["1.50", "1.50"],
    ["-17", "-17"],
  ])("refuses %s, which is not an object", (json, given) => {
    const message = `must be a JSON object, not ${given}`;
    expect(parseValue(parseExact(json), strict)).toEqual({ message });
  });
});

describe("excerpt", () => {
  it.each([
    ["a".repeat(60), "a".repeat(60)],
    ["a".repeat(61), `${"a".repeat(59)}…`],
  ])("of %s", (text, expected) => {
    expect(excerpt(text)).toBe(expected);
  });
});
