import { expect, it } from "vitest";
import { wrap } from "../../../src/output/text/wrap.ts";

it.each([
  ["", 10, []],
  ["a bc def", 80, ["a bc def"]],
  ["a bc def", 4, ["a bc", "def"]],
  ["a bc def", Infinity, ["a bc def"]],
  ["abcdef g", 3, ["abcdef", "g"]],
  ["see `pets list` now", 12, ["see", "`pets list`", "now"]],
  ["see `pets list` now", 8, ["see", "`pets", "list`", "now"]],
])("%j in %d columns", (text, width, lines) => {
  expect(wrap(text, width)).toEqual(lines);
});
