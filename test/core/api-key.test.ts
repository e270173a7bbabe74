import { describe, expect, it } from "vitest";
import { isApiKey, maskKey, parseApiKey } from "../../src/core/api-key.ts";

it.each([
  ["", "…"],
  ["abcd", "…"],
  ["elevenchars", "…"],
  ["twelve-chars", "…hars"],
  ["pets_0123456789", "…6789"],
])("shows %j as %s", (key, masked) => {
  expect(maskKey(key)).toBe(masked);
});

describe("a key that can be sent", () => {
  it.each([
    ["pets_0123456789", true],
    ["!~", true],
    ["", false],
    ["a b", false],
    ["a\n", false],
    ["clé", false],
    ["a\u007f", false],
  ])("%j: %s", (key, expected) => {
    expect(isApiKey(key)).toBe(expected);
  });

  it.each([
    ["", /^the key from PETS_API_KEY is empty$/],
    ["secret key", /^the key from PETS_API_KEY contains white space or non-ASCII characters$/],
  ])("is not %j, which is not shown", (key, message) => {
    expect(() => parseApiKey(key, "PETS_API_KEY")).toThrow(message);
  });
});
