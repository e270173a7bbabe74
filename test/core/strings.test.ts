import { describe, expect, it } from "vitest";
import { closeMatch, parseIntInRange, truncate, unknownText } from "../../src/core/strings.ts";

describe("closeMatch", () => {
  it.each([
    ["lst", ["list", "profile use"], "list"],
    ["profile user", ["list", "profile use"], "profile use"],
    ["x".repeat(100_000), ["list"], undefined],
    ["tow", ["two"], "two"],
    ["b", ["a"], undefined],
    ["a", [], undefined],
    ["fsh", ["bash", "zsh", "fish"], "fish"],
    ["zhs", ["bash", "zsh", "fish"], "zsh"],
    ["pend", ["available", "pending", "sold"], "pending"],
    ["pendig", ["available", "pending", "sold"], "pending"],
    ["Avialable", ["available", "pending", "sold"], "available"],
    ["vermittelt", ["available", "pending", "sold"], undefined],
    ["nope", ["store", "help", "list"], undefined],
    ["search", ["serve", "status", "store"], undefined],
    ["cat", ["get", "add"], undefined],
  ])("of %.20s among %j is %s", (word, candidates, candidate) => {
    expect(closeMatch(word, candidates)).toBe(candidate);
  });
});

it.each([
  ["short", 5, "short"],
  ["longer", 5, "long…"],
  ["abc👩x", 5, "abc\ufffd…"],
])("truncates %j to %i", (text, length, shown) => {
  expect(truncate(text, length)).toBe(shown);
});

describe("parseIntInRange", () => {
  it.each<readonly [string, number | undefined]>([
    ["1", 1],
    ["100", 100],
    ["101", undefined],
    ["0", undefined],
    ["007", undefined],
    ["+5", undefined],
    ["1.0", undefined],
    ["1e1", undefined],
    [" 1", undefined],
    ["", undefined],
    ["9".repeat(400), undefined],
  ])("of %.10j from 1 to 100 is %s", (text, expected) => {
    expect(parseIntInRange(text, { min: 1, max: 100 })).toBe(expected);
  });
});

it.each<[Parameters<typeof unknownText>, string]>([
  [["field", "nmae", ["id", "name"], "--fields"], 'field "nmae" in --fields; did you mean "name"?'],
  [["output format", "CSV", ["csv"]], 'output format "CSV"; did you mean "csv"?'],
  [["profile", "x", []], 'profile "x"'],
  [["profile", "x".repeat(99), []], `profile "${"x".repeat(99)}"`],
])("says what is unknown of %j", (given, text) => {
  expect(unknownText(...given)).toBe(`unknown ${text}`);
});
