import { anything, assert, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { formatJson } from "../../../../../src/server/page/app/requests/format-json.ts";

describe("formatted JSON", () => {
  it.each([
    ['{"a":1,"b":[],"c":{}}', '{\n  "a": 1,\n  "b": [],\n  "c": {}\n}'],
    ["[9223372036854775807,1.0]", "[\n  9223372036854775807,\n  1.0\n]"],
    ['{"a":"x, {\\"}: [y"}', '{\n  "a": "x, {\\"}: [y"\n}'],
    ["no JSON", undefined],
    ['"text"', undefined],
    ["{not json}", undefined],
  ])("of %j", (text, expected) => {
    expect(formatJson(text, false)).toBe(expected);
  });

  it("of a beginning", () => {
    expect(formatJson('[{"a":"b', true)).toBe('[\n  {\n    "a": "b');
  });

  it("is what JSON.stringify makes", () => {
    assert(
      property(anything(), (value) => {
        const text = JSON.stringify([value]);
        expect(formatJson(text, false)).toBe(JSON.stringify(JSON.parse(text), null, 2));
      }),
    );
  });

  it("of deep nesting stays small", () => {
    const deep = "[".repeat(4_000);
    expect(formatJson(deep, true)?.length).toBeLessThan(200_000);
  });
});
