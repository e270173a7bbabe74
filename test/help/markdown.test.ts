import { array, assert, integer, property, stringMatching } from "fast-check";
import { describe, expect, it } from "vitest";
import { plainText } from "../../src/help/markdown.ts";

const terms =
  "| option | does |\n| --- | --- |\n| `--port <n>` | listen on this port, or on a free one |";
const table = "| plan | minute | day |\n| --- | --- | --- |\n| `free` | 60 | **1,000** |";

describe("plainText", () => {
  it.each([
    ["# Exit codes", 20, "EXIT CODES"],
    ["One `pets list`\nand more.", 80, "One `pets list` and more."],
    ["**See** [the _help_](help.md).", 80, "See the help."],
    ["a\n\n![a\npicture](../b.png)\n\nb\n", 80, "a\n\nb"],
    [
      "one two three\n\n```sh\nas it  is  # a\n\n  <b>\n```\n\nfour",
      8,
      "one two\nthree\n\n  as it  is  # a\n\n    <b>\n\nfour",
    ],
    ["- one two\n  three\n- four", 10, "- one two\n  three\n- four"],
    [terms, 42, "  --port <n>  listen on this port, or on a\n              free one"],
    [terms, 30, "  --port <n>\n      listen on this port, or\n      on a free one"],
    ["|a|b|\n|-|-|\n|a|`b \\| c`|\n|long||", 80, "  a     `b | c`\n  long"],
    [table, 24, "  PLAN  MINUTE  DAY\n  free  60      1,000"],
    [table, 20, "  free\n      minute: 60;\n      day: 1,000"],
    ["see `pets help x`, or ask", 17, "see\n`pets help x`, or\nask"],
    ["see `pets help x`", 8, "see\n`pets\nhelp x`"],
  ])("shows %j in %i columns", (markdown, columns, text) => {
    expect(plainText(markdown, columns)).toBe(text);
  });

  it("keeps every word, and has no line wider than the screen unless a word is", () => {
    const word = stringMatching(/^[a-z,.]{1,12}$/);
    assert(
      property(array(word, { minLength: 1 }), integer({ min: 14, max: 100 }), (words, width) => {
        const text = plainText(words.join(" "), width);
        expect(text.split(/\s+/)).toEqual(words);
        const wide = text.split("\n").filter((line) => line.length > Math.min(width, 80));
        expect(wide).toEqual([]);
      }),
    );
  });
});
