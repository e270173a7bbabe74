import { describe, expect, it } from "vitest";
import { closeMatch, closestMatch, truncate } from "../../src/core/strings.ts";

describe("nearest", () => {
  it.each([
    ["avaliable", "available"],
    ["SOLD", "sold"],
    ["pend", "pending"],
    ["", "sold"],
    ["x".repeat(100_000), "available"],
  ])("of %.20s is %s", (word, candidate) => {
    expect(closestMatch(word, ["available", "pending", "sold"])).toBe(candidate);
  });

  it("of nothing is nothing", () => {
    expect(closestMatch("x", [])).toBe("");
  });
});

describe("nearEnough", () => {
  it.each([
    ["lst", "list"],
    ["profile user", "profile use"],
    ["li", "list"],
    ["nosuch", undefined],
    ["x".repeat(100_000), undefined],
  ])("of %.20s is %s", (word, candidate) => {
    expect(closeMatch(word, ["list", "profile use", "exit-codes"])).toBe(candidate);
  });
});

it.each([
  ["short", 5, "short"],
  ["longer", 5, "long…"],
  ["abc👩x", 5, "abc\ufffd…"],
])("shortens %j to %i", (text, length, shown) => {
  expect(truncate(text, length)).toBe(shown);
});
