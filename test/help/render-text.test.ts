import { array, assert, integer, property, stringMatching } from "fast-check";
import { describe, expect, it } from "vitest";
import { plainBlocks } from "../../src/help/render-text.ts";

const terms = { terms: [["--port <n>", "listen on this port, or on a free one"]] } as const;

describe("plainBlocks", () => {
  it("wraps paragraphs, leaves lines unchanged, and separates blocks by an empty line", () => {
    const blocks = ["one two three", { lines: ["  as it  is", "and longer"] }, "four"];
    expect(plainBlocks(blocks, 8)).toBe("one two\nthree\n\n    as it  is\n  and longer\n\nfour");
  });

  it("puts a meaning beside its term if there is room, else below it", () => {
    expect(plainBlocks([terms], 42)).toBe(
      "  --port <n>  listen on this port, or on a\n              free one",
    );
    expect(plainBlocks([terms], 30)).toBe(
      "  --port <n>\n      listen on this port, or\n      on a free one",
    );
  });

  it("aligns meanings by the longest term of their block", () => {
    const blocks = [{ terms: [["a", "b"]] }, { terms: [["long", "c"]] }] as const;
    expect(plainBlocks(blocks)).toBe("  a  b\n\n  long  c");
  });

  it("does not break code that fits into a line", () => {
    expect(plainBlocks(["see `pets help x`, or ask"], 17)).toBe("see\n`pets help x`, or\nask");
    expect(plainBlocks(["see `pets help x`"], 8)).toBe("see\n`pets\nhelp x`");
  });

  const list = { items: ["one two three", "four"] };
  const table = { head: ["plan", "minute", "day"], rows: [["free", "60", "1,000"]] };
  const code = { lines: ["pets list   # all of them", "# free", "id=$(pets add)"] };

  it.each([
    [{ heading: "Exit codes", level: 1 }, 20, "EXIT CODES"],
    [list, 10, "- one two\n  three\n- four"],
    [table, 24, "  PLAN  MINUTE  DAY\n  free  60      1,000"],
    [table, 20, "  free\n      minute: 60;\n      day: 1,000"],
    [code, 27, "  pets list   # all of them\n  # free\n  id=$(pets add)"],
    [code, 16, "  # all of them\n  pets list\n  # free\n  id=$(pets add)"],
  ])("shows %j in %i columns", (block, columns, text) => {
    expect(plainBlocks([block], columns)).toBe(text);
  });

  it("keeps every word, and has no line wider than the screen unless a word is", () => {
    const word = stringMatching(/^[a-z`,.-]{1,12}$/);
    assert(
      property(array(word, { minLength: 1 }), integer({ min: 14, max: 100 }), (words, width) => {
        const text = plainBlocks([words.join(" ")], width);
        expect(text.split(/\s+/)).toEqual(words);
        const wide = text.split("\n").filter((line) => line.length > Math.min(width, 80));
        expect(wide).toEqual([]);
      }),
    );
  });
});
