import { describe, expect, it } from "vitest";
import { overBounds, type Row, startupTable } from "./startup-table.ts";

const bases: readonly Row[] = [
  { name: "bare Node", ms: 20 },
  { name: "plain request", ms: 40 },
];
const ofBare = { of: "bare Node", factor: 1.25 } as const;
const ofRequest = { of: "plain request", factor: 1.4 } as const;

describe("what start-up may cost", () => {
  it.each<[string, Row, readonly string[]]>([
    ["at the bound", { name: "a", ms: 25, bound: ofBare }, []],
    ["over it", { name: "a", ms: 25.1, bound: ofBare }, ["a: 1.255 of bare Node, 1.25 at most"]],
    ["of another base", { name: "a", ms: 56, bound: ofRequest }, []],
    [
      "over that",
      { name: "a", ms: 60, bound: ofRequest },
      ["a: 1.500 of plain request, 1.4 at most"],
    ],
    [
      "nothing measured",
      { name: "a", ms: "failed", bound: ofBare },
      ["a: NaN of bare Node, 1.25 at most"],
    ],
    ["no bound", { name: "a", ms: 1000 }, []],
    ["not installed", { name: "a", ms: "not installed" }, []],
  ])("%s", (_what, row, expected) => {
    expect(overBounds([...bases, row])).toEqual(expected);
  });

  it("is reported row by row", () => {
    const rows = [
      ...bases,
      { name: "pets", ms: 30, bound: ofBare },
      { name: "gh", ms: "not installed" },
    ];
    const [, ...lines] = startupTable(rows).split("\n");
    expect(lines.map((line) => line.split(/\s{2,}/))).toEqual([
      ["bare Node", "20.0", "1.00", "0.50"],
      ["plain request", "40.0", "2.00", "1.00"],
      ["pets", "30.0", "1.50", "0.75", "1.25", "of bare Node: NOT held"],
      ["gh", "not installed"],
    ]);
  });
});
