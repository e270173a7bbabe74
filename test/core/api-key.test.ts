import { expect, it } from "vitest";
import { maskKey } from "../../src/core/api-key.ts";

it.each([
  ["", "…"],
  ["abcd", "…"],
  ["elevenchars", "…"],
  ["twelve-chars", "…hars"],
  ["pets_0123456789", "…6789"],
])("shows %j as %s", (key, masked) => {
  expect(maskKey(key)).toBe(masked);
});
