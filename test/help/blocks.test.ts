import { expect, it } from "vitest";
import { tableTerms, termsOf } from "../../src/help/blocks.ts";

it("returns the terms of all blocks that have any, in order", () => {
  const blocks = [
    "A paragraph.",
    { heading: "Terms", level: 2 },
    { terms: [["a", "1"] as const, ["b", "2"] as const] },
    { items: ["x"] },
    { lines: ["y"] },
    { terms: [["c", "3"] as const] },
  ];
  expect(termsOf(blocks).map(([term]) => term)).toEqual(["a", "b", "c"]);
});

it.each([
  [
    ["7", "a service", "try again"],
    ["7", "from: a service; then: try again"],
  ],
  [["7"], ["7", ""]],
  [[], ["", ""]],
])("a row %j of a table is the term %j", (row, term) => {
  expect(tableTerms({ head: ["exit", "from", "then"], rows: [row] })).toEqual([term]);
});
