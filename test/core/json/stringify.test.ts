import { expect, it } from "vitest";
import { OtherNumber } from "../../../src/core/json/parse.ts";
import { stringifyExact } from "../../../src/core/json/stringify.ts";

it.each<readonly [unknown, number, string]>([
  [{ a: -0, b: 0 }, 0, `{"a":-0,"b":0}`],
  [[9223372036854775807n, -1n, 1], 0, "[9223372036854775807,-1,1]"],
  [{ a: undefined, b: new OtherNumber("1.0") }, 0, '{"b":1.0}'],
  [{ a: 1n }, 2, '{\n  "a": 1\n}'],
  ["\u0000\u001b\n", 0, String.raw`"\u0000\u001b\n"`],
  ["\u007f\u0080\u009f\u00a0", 0, String.raw`"\u007f\u0080\u009f` + '\u00a0"'],
  [
    "\u061c\u200e\u200f\u202a\u202e\u2066\u2069",
    0,
    String.raw`"\u061c\u200e\u200f\u202a\u202e\u2066\u2069"`,
  ],
  ["\ud800🐾", 0, String.raw`"\ud800🐾"`],
])("case %#", (value, indent, text) => {
  expect(stringifyExact(value, indent)).toBe(text);
});
