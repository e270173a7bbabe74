import { describe, expect, it } from "vitest";
import { JsonFault, JsonText } from "../../../src/imports/input/json-text.ts";
import { mebi } from "../support/invalid-rows.ts";

/** Returns a text in pieces of one character. */
const cut = (text: string): JsonText => new JsonText(text.split(""));

/** Returns why a text of one value cannot be read. */
function faultOf(text: string): string | undefined {
  try {
    const json = cut(text);
    json.read();
    json.read("end");
    return undefined;
  } catch (error) {
    if (error instanceof JsonFault) return error.message.replace(/; the rest.*/, "");
    throw error;
  }
}

describe("JsonText", () => {
  it("reads values with the lines on which they begin", () => {
    const json = cut('\n {"a":[1,\n"\\u00e9"]}\n\t-1.5e+3 true"x"');
    const values = Array.from({ length: 4 }, () => json.read());
    expect(values).toEqual([
      { text: '{"a":[1,\n"\\u00e9"]}', line: 2 },
      { text: "-1.5e+3", line: 4 },
      { text: "true", line: 4 },
      { text: '"x"', line: 4 },
    ]);
    expect(json.peek()).toBe("");
  });

  it("takes a character only if it comes next", () => {
    const json = cut(" ,1");
    expect([json.take("]"), json.take(","), json.take(",")]).toEqual([false, true, false]);
    expect(json.read("value").text).toBe("1");
  });

  it("has no text of a value that is too long, and reads on behind it", () => {
    const half = `"${"x".repeat(mebi / 2)}"`;
    const json = new JsonText(["[", half, ",", half, "]", "[", half, "]"]);
    expect(json.read().text).toBeUndefined();
    expect(json.read().text).toBe(`[${half}]`);
  });

  it.each([
    ["", "end of file (line 1, column 1)"],
    ['{"a":1', "end of file (line 1, column 7)"],
    ["[1,\n 2 3]", '"3" (line 2, column 4)'],
    ["[1]]", '"]" (line 1, column 4)'],
    ["{1:2}", '"1" (line 1, column 2)'],
    ['["\\x"]', '"\\\\" (line 1, column 3)'],
    ['"a\tb"', '"\\t" (line 1, column 3)'],
    ["[nul]", '"n" (line 1, column 2)'],
    ["[-]", '"-" (line 1, column 2)'],
  ])("finds where %j stops being JSON", (text, place) => {
    expect(faultOf(text)).toBe(`is not valid JSON: unexpected ${place}`);
  });
});
