import { describe, expect, it } from "vitest";
import { parseExact } from "../../../src/core/json/parse.ts";
import { duplicateKey, readJsonRow } from "../../../src/imports/input/json-row.ts";

const position = { index: 0, line: 1 };

describe("readJsonRow", () => {
  it.each([
    [
      '{"name":"\\u00e9\\n","categoryId":9007199254740993}',
      { name: "é\n", categoryId: 9007199254740993n },
    ],
    ['{"__proto__":{"status":"x"},"name":"Rex","categoryId":3}', { name: "Rex", categoryId: 3n }],
  ])("reads %s", (json, pet) => {
    expect(readJsonRow(json, position, { ignoreFields: true })).toEqual({ ...position, pet });
  });

  it.each([
    ['{"name":"a","n\\u0061me":"b"}', { field: "name", message: "is given twice" }],
    ['{"x":1,"__proto__":1,"__proto__":2}', { field: "__proto__", message: "is given twice" }],
    ["[1]", { message: "must be a JSON object, not an array" }],
  ])("refuses %s", (json, fault) => {
    expect(readJsonRow(json, position, { ignoreFields: true })).toEqual({ line: 1, ...fault });
  });

  it("returns undefined for what is not JSON", () => {
    expect(readJsonRow("{", position, { ignoreFields: true })).toBeUndefined();
  });
});

describe("duplicateKey", () => {
  it.each<readonly [string, string | undefined]>([
    ['{"a":1,"b":2}', undefined],
    ['{"a":1,"a":2}', "a"],
    ['{"a":1,"\\u0061":2}', "a"],
    ['{"a":{"b":1,"b":2}}', undefined],
    ['{"a":"\\"b\\":","b":1}', undefined],
    ['{"a":"{","b":"\\"","a":[1]}', "a"],
    ['{"":1,"":2}', ""],
    ['[{"a":1,"a":2}]', undefined],
    ['"a"', undefined],
    ["null", undefined],
  ])("of %s is %j", (text, key) => {
    expect(duplicateKey(text, parseExact(text))).toBe(key);
  });
});
