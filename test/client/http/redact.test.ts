import { describe, expect, it } from "vitest";
import { createRedaction } from "../../../src/client/http/redact.ts";

describe("createRedaction", () => {
  it.each<[string, string, string]>([
    ["abcdefgh1234", "<abcdefgh1234> abcdefgh1234", "<…1234> …1234"],
    ["abcdefgh123", "abcdefgh123", "…"],
    ["abcd", "xabcdx", "x…x"],
    ["abc", "xabcx", "xabcx"],
    ["a$&b$1c+/=xyz", "a$&b$1c+/=xyz", "…=xyz"],
    ["a$&b$1c+/=xyz", "?k=a%24%26b%241c%2B%2F%3Dxyz", "?k=…=xyz"],
    ["abcdefgh1234", "?k=%61%62cdefg%681234&", "?k=…1234&"],
    ["key=/jklm1234", "key%3d%2Fjklm1234 key%3D%2fjklm1234", "…1234 …1234"],
    ["abcdefgh1234", String.raw`{\"k\":\"\u0061bcdefgh123\u0034\"}`, String.raw`{\"k\":\"…1234\"}`],
    ['ab/cd"efghijk', String.raw`{\"k\":\"ab\/cd\"efghijk\"}`, String.raw`{\"k\":\"…hijk\"}`],
    ["100%25abcdef", "100%25abcdef 100%2525abcdef 100%abcdef", "…cdef …cdef 100%abcdef"],
    ["abcdefgh1234", "Basic YWJjZGVmZ2gxMjM0", "Basic …1234"],
    ["$$$$$$$$$$$$$$$$", "$$$$$$$$$$$$$$$$", "…$$$$"],
  ])("masks %j in %j", (key, text, expected) => {
    expect(createRedaction(key).text(text)).toBe(expected);
  });

  it.each([5000, 15_000])("masks a key of %i characters in texts that nearly hold it", (length) => {
    const key = `${"eyJh".repeat(length / 4)}.end`;
    const almost = key.slice(0, -1).repeat(20);
    expect(createRedaction(key).text(`${almost} ${key}`)).toBe(`${almost} ….end`);
    expect(createRedaction(key).name(almost)).toBe(almost);
  });

  it.each<[string, string, string]>([
    ["abcdefgh1234", "abcdefgh1234", "…1234"],
    ["abcdefgh123", "abcdefgh123", "abcdefgh123"],
  ])("masks %j in the name %j: %j", (key, name, expected) => {
    expect(createRedaction(key).name(name)).toBe(expected);
  });
});
