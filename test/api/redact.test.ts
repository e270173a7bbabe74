import { describe, expect, it } from "vitest";
import { makeRedaction } from "../../src/api/redact.ts";

describe("makeRedaction", () => {
  it.each<[string, string, string]>([
    ["abcdefgh1234", "<abcdefgh1234> abcdefgh1234", "<…1234> …1234"],
    ["abcdefgh123", "abcdefgh123", "…"],
    ["abcd", "xabcdx", "x…x"],
    ["abc", "xabcx", "xabcx"],
    ["a$&b$1c+/=xyz", "a$&b$1c+/=xyz", "…=xyz"],
    ["a$&b$1c+/=xyz", "?k=a%24%26b%241c%2B%2F%3Dxyz", "?k=…=xyz"],
    ["$$$$$$$$$$$$$$$$", "$$$$$$$$$$$$$$$$", "…$$$$"],
  ])("takes %j out of %j", (key, text, expected) => {
    expect(makeRedaction(key).text(text)).toBe(expected);
  });

  it.each<[string, string, string]>([
    ["abcdefgh1234", "abcdefgh1234", "…1234"],
    ["abcdefgh123", "abcdefgh123", "abcdefgh123"],
  ])("takes %j out of the name %j: %j", (key, name, expected) => {
    expect(makeRedaction(key).name(name)).toBe(expected);
  });
});
