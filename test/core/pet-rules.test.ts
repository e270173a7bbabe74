import { describe, expect, it } from "vitest";
import { asPetStatus, isEmptyName } from "../../src/core/pet-rules.ts";

describe("isEmptyName", () => {
  it.each<[string, boolean]>([
    ["", true],
    [" \t\n\u3000\u00a0", true],
    ["\u200b", false],
    [" a ", false],
    ["\0", false],
  ])("%j: %s", (name, expected) => {
    expect(isEmptyName(name)).toBe(expected);
  });
});

describe("asPetStatus", () => {
  it.each<[unknown, string | undefined]>([
    ["sold", "sold"],
    ["available", "available"],
    ["Sold", undefined],
    ["", undefined],
    [null, undefined],
    [0, undefined],
    [["sold"], undefined],
  ])("%j is %j", (value, expected) => {
    expect(asPetStatus(value)).toBe(expected);
  });
});
