import { describe, expect, it } from "vitest";
import { LineSplitter } from "../../src/core/lines.ts";

/** Returns the lines of a text that comes in these pieces; undefined for those that are too long. */
function split(pieces: readonly string[], maxBytes = 100): (string | undefined)[] {
  const splitter = new LineSplitter(maxBytes);
  const lines: (string | undefined)[] = [];
  const take = (found: ReturnType<LineSplitter["push"]>): void => {
    for (const { number, text } of found) {
      expect(number).toBe(lines.length + 1);
      lines.push(text);
    }
    expect(splitter.number).toBe(lines.length + 1);
  };
  for (const piece of pieces) take(splitter.push(piece));
  take(splitter.end());
  return lines;
}

describe("LineSplitter", () => {
  it.each([
    ["", ""],
    ["a", "a"],
    ["a\n", "a"],
    ["a\nb", "a b"],
    ["a\r\nb\r\n", "a b"],
    ["a\rb\r", "a b"],
    ["a\r|\nb", "a b"],
    ["a\r||\nb", "a b"],
    ["a\r|\rb", "a  b"],
    ["\n\r\n\r", "  "],
    ["\n\r", " "],
    ["a|b|\nc", "ab c"],
    ["é|é\n日", "éé 日"],
  ])("%j in pieces has the lines %j", (text, lines) => {
    expect(split(text.split("|")).join(" ")).toBe(lines);
  });

  it.each([
    ["abcd\nabcde\nb", ["abcd", undefined, "b"]],
    ["abc|d|\nb", ["abcd", "b"]],
    ["abc|de|f\nb", [undefined, "b"]],
    ["abc|de", [undefined]],
    ["ééé\nb", [undefined, "b"]],
    ["abcdefgh\r|\nb", [undefined, "b"]],
  ])("%j with at most 4 bytes a line has the lines %j", (text, lines) => {
    expect(split(text.split("|"), 4)).toEqual(lines);
  });
});
