import { describe, expect, it } from "vitest";
import { readMarkdown } from "../../src/help/markdown.ts";

describe("readMarkdown", () => {
  it.each([
    ["# Exit codes", { heading: "Exit codes", level: 1 }],
    ["## Errors", { heading: "Errors", level: 2 }],
    ["One `pets list`\nand more.", "One `pets list` and more."],
    ["**See** [the help](help.md).", "See the help."],
    ["- one\n  line\n- two - three", { items: ["one line", "two - three"] }],
    ["```sh\npets list | jq   # a\n\n  # b\n```", { lines: ["pets list | jq   # a", "", "  # b"] }],
    [
      "| code | when |\n| --- | --- |\n| `2` | `a \\| b` |\n| 3 | |",
      {
        terms: [
          ["2", "`a | b`"],
          ["3", ""],
        ],
      },
    ],
    [
      "| plan | minute | day |\n| --- | --- | --- |\n| `free` | 60 | **1,000** |",
      { head: ["plan", "minute", "day"], rows: [["free", "60", "1,000"]] },
    ],
  ])("reads %j", (markdown, block) => {
    expect(readMarkdown(markdown)).toEqual([block]);
  });

  it("separates blocks at empty lines and at fences", () => {
    expect(readMarkdown("# a\n\nb\nc\n\n```sh\nd\n\ne\n```\n\n- f\n")).toEqual([
      { heading: "a", level: 1 },
      "b c",
      { lines: ["d", "", "e"] },
      { items: ["f"] },
    ]);
    expect(readMarkdown("")).toEqual([]);
  });

  it("leaves images out", () => {
    expect(readMarkdown("a\n\n![a\npicture](../b.png)\n\nb\n")).toEqual(["a", "b"]);
  });
});
