import { expect, it } from "vitest";
import { truncate } from "../../src/core/strings.ts";

it.each([
  ["short", 5, "short"],
  ["longer", 5, "long…"],
  ["abc👩x", 5, "abc\ufffd…"],
])("shortens %j to %i", (text, length, shown) => {
  expect(truncate(text, length)).toBe(shown);
});
