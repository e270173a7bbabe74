import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isTooDeep, OtherNumber, parseExact } from "../../../src/core/json/parse.ts";
import { stringifyExact } from "../../../src/core/json/stringify.ts";

const other = (source: string) => new OtherNumber(source);
const arrays = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

describe("parseExact", () => {
  it.each<[string, unknown]>([
    ["1", 1],
    ["-5", -5],
    ["0", 0],
    ["-0", -0],
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992n],
    ["-9007199254740993", -9007199254740993n],
    ["9223372036854775807", 9223372036854775807n],
    ["-9223372036854775808", -9223372036854775808n],
    ["9999999999999999999", 9999999999999999999n],
    ["10000000000000000000", other("10000000000000000000")],
    ["1.0", other("1.0")],
    ["1e3", other("1e3")],
    ["1E3", other("1E3")],
    ["-0.0", other("-0.0")],
    ["0e0", other("0e0")],
    ["2.5", other("2.5")],
    ["1e999", other("1e999")],
    ['"1.0"', "1.0"],
    ["[1,1.0]", [1, other("1.0")]],
    ['{"id":1,"name":"Rex 2.0"}', { id: 1, name: "Rex 2.0" }],
    ["\uFEFF[1]", [1]],
    ["\uFEFF[1.5]", [other("1.5")]],
    [" [ ] ", []],
    ["null", null],
  ])("%s", (text, expected) => {
    expect(parseExact(text)).toStrictEqual(expected);
  });

  const invalid = "| |01|+1|1.|.5|[1,]|{'a':1}|NaN|[1.0|<html>|\uFEFF\uFEFF1";
  it.each(invalid.split("|"))("refuses %j", (text) => {
    expect(() => parseExact(text)).toThrow(SyntaxError);
  });

  it("treats __proto__ as an ordinary key", () => {
    const value = parseExact('{"__proto__":{"id":1.5},"name":"x"}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(Object(value))).toEqual(["__proto__", "name"]);
    expect(Object(value).id).toBeUndefined();
  });

  it.each([
    ["arrays", "[".repeat(200_000), "]".repeat(200_000)],
    ["objects", '{"a":'.repeat(200_000) + '"\\"]}"', "}".repeat(200_000)],
    ["what is not JSON", "[".repeat(200_000), ""],
  ])("rejects %s nested deeper than the stack", (_name, open, close) => {
    expect(() => parseExact(`{"x":${open}${close},"id":1.0}`)).toThrow(SyntaxError);
  });

  it.each<[string, string, boolean]>([
    ["500 arrays", arrays(500), false],
    ["501 arrays", arrays(501), true],
    ["501 objects", `${'{"a":'.repeat(501)}1${"}".repeat(501)}`, true],
    ["500 arrays beside others", `[${arrays(499)},${arrays(499)}]`, false],
    ["brackets in strings", `["${"[".repeat(600)}","\\"${"[{".repeat(600)}"]`, false],
    ["brackets after a string", `["\\\\",${"[".repeat(500)}1${"]".repeat(500)}]`, true],
  ])("limits the depth: %s", (_what, text, isDeep) => {
    expect(isTooDeep(text)).toBe(isDeep);
  });

  it("returns what stringifyExact wrote: any JSON value with any int64 in it", () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string({ unit: "binary" }),
        int64,
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie("value"), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(value, (original) => {
        expect(integersAsBigints(parseExact(stringifyExact(original)))).toStrictEqual(original);
      }),
    );
  });
});

function integersAsBigints(value: unknown): unknown {
  if (typeof value === "number") return BigInt(value);
  if (Array.isArray(value)) return value.map(integersAsBigints);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, integersAsBigints(item)]);
  return Object.fromEntries(entries);
}
