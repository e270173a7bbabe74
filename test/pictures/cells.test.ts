import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Cell, runsOf, type Style } from "./cells.ts";

const plain: Style = {};
const red: Style = { color: 1 };

const cells = (text: string, style = plain): Cell[] =>
  Array.from(text, (each) => ({ text: each, width: /[小白]/.test(each) ? 2 : 1, style }));

describe("the runs of a line", () => {
  it.each<[string, Cell[], [string, number, number][]]>([
    ["nothing", [], []],
    ["blanks alone", cells("   "), []],
    ["words", cells("a b c"), [["a b c", 0, 5]]],
    ["blanks at the end", cells("ab   "), [["ab", 0, 2]]],
    [
      "blanks at the start",
      cells(" a"),
      [
        [" ", 0, 1],
        ["a", 1, 1],
      ],
    ],
    [
      "columns",
      cells("ID  NAME   X"),
      [
        ["ID  ", 0, 4],
        ["NAME   ", 4, 7],
        ["X", 11, 1],
      ],
    ],
    [
      "colours",
      [...cells("a "), ...cells("b", red), ...cells("c")],
      [
        ["a ", 0, 2],
        ["b", 2, 1],
        ["c", 3, 1],
      ],
    ],
    [
      "wide ones",
      cells("小白 x小y"),
      [
        ["小白 ", 0, 5],
        ["x", 5, 1],
        ["小", 6, 2],
        ["y", 8, 1],
      ],
    ],
  ])("%s", (_name, line, runs) => {
    expect(runsOf(line).map(({ text, column, columns }) => [text, column, columns])).toEqual(runs);
  });

  it("cover the whole line, each at its column", () => {
    const cell = fc.record({
      text: fc.constantFrom("a", "b", " ", " ", "小", "🐾", "é"),
      style: fc.constantFrom<Style>(plain, red, { underline: true }),
    });
    fc.assert(
      fc.property(fc.array(cell, { maxLength: 30 }), (drawn) => {
        const line = drawn.map((each): Cell => ({
          ...each,
          width: /[小🐾]/u.test(each.text) ? 2 : 1,
        }));
        const runs = runsOf(line);
        const text = line.map((each) => each.text).join("");
        const shown = runs.map((run) => run.text).join("");
        expect(text.startsWith(shown)).toBe(true);
        expect(text.slice(shown.length).trim()).toBe("");
        let column = 0;
        for (const run of runs) {
          expect(run.column).toBe(column);
          column += run.columns;
        }
      }),
    );
  });
});
