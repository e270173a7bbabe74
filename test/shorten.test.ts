import { expect, it } from "vitest";
import { shorten } from "../src/shorten.ts";

it.each([
  ["short", 5, "short"],
  ["longer", 5, "long…"],
  ["abc👩x", 5, "abc\ufffd…"],
])("shortens %j to %i", (text, length, shown) => {
  expect(shorten(text, length)).toBe(shown);
});
