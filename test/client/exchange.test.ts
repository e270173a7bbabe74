import { describe, expect, it } from "vitest";
import { createRedaction } from "../../src/client/exchange.ts";

describe("createRedaction", () => {
  it.each([
    ["abcdefgh1234", "x…1234x", "x…1234x"],
    ["abcdefgh123", "x…x", "xabcdefgh123x"],
    ["abcd", "x…x", "xabcdx"],
    ["abc", "xabcx", "xabcx"],
  ])("masks %j in a text as %j, in a name as %j", (key, text, name) => {
    expect(createRedaction(key).text(`x${key}x`)).toBe(text);
    expect(createRedaction(key).name(`x${key}x`)).toBe(name);
  });
});
