import { describe, expect, it } from "vitest";
import { createRedaction } from "../../src/client/redaction.ts";

describe("createRedaction", () => {
  it.each<[string, string, string]>([
    ["abcdefgh1234", "<abcdefgh1234> abcdefgh1234", "<…1234> …1234"],
    ["abcdefgh123", "abcdefgh123", "…"],
    ["abcd", "xabcdx", "x…x"],
    ["abc", "xabcx", "xabcx"],
  ])("masks %j in %j", (key, text, expected) => {
    expect(createRedaction(key).text(text)).toBe(expected);
  });

  it.each<[string, string, string]>([
    ["abcdefgh1234", "abcdefgh1234", "…1234"],
    ["abcdefgh123", "abcdefgh123", "abcdefgh123"],
  ])("masks %j in the name %j: %j", (key, name, expected) => {
    expect(createRedaction(key).name(name)).toBe(expected);
  });
});
