import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeControls } from "../../src/core/sanitize.ts";
import { cutText, textWidth } from "../../src/output/text.ts";
import { wrap } from "../../src/output/wrap.ts";
import { anyText } from "./pets.ts";

const family = "👩‍👩‍👧";

describe("width", () => {
  it.each([
    ["", 0],
    ["Rex", 3],
    ["日本", 4],
    ["ｶﾞ", 2],
    [family, 2],
    ["🇩🇪", 2],
    ["❤️", 2],
    ["👍🏽", 2],
    ["🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2],
    ["🏳‍🌈", 2],
    ["1\ufe0f\u20e3", 2],
    ["☎", 1],
    ["\u1112\u1161\u11ab", 2],
    ["e\u0301", 1],
    ["\u200b", 0],
    ["…", 1],
    ["한글", 4],
    ["น้ำ", 2],
    ["ກຳ", 2],
    ["ำ", 1],
    ["co\u00adop", 5],
    ["\u06dd1", 2],
  ])("of %j is %i", async (text, columns) => {
    expect(textWidth(text)).toBe(columns);
  });
});

describe("cut", () => {
  it.each([
    ["Rex", 3, "Rex"],
    ["Rexie", 3, "Re…"],
    ["Rexie", 0, ""],
    ["日本語", 6, "日本語"],
    ["日本語", 4, "日…"],
    ["日本語", 2, "…"],
    ["\u200b", 0, "\u200b"],
    [`${family}${family}`, 3, `${family}…`],
    ["🇩🇪🇫🇷", 3, "🇩🇪…"],
    ["e\u0301e\u0301e\u0301", 2, "e\u0301…"],
    ["น้ำน้ำ", 3, "น้ำ…"],
  ])("of %j to %i columns is %j", async (text, columns, cut) => {
    expect(cutText(text, columns)).toBe(cut);
  });

  it("returns text no wider than requested, and complete if it fits", async () => {
    fc.assert(
      fc.property(anyText, fc.nat(12), (raw, columns) => {
        const text = escapeControls(raw);
        const cut = cutText(text, columns);
        expect(textWidth(cut)).toBeLessThanOrEqual(columns);
        expect(textWidth(text) > columns || cut === text).toBe(true);
      }),
    );
  });
});

it.each([
  ["", 10, []],
  ["a bc def", 80, ["a bc def"]],
  ["a bc def", 4, ["a bc", "def"]],
  ["a bc def", Infinity, ["a bc def"]],
  ["abcdef g", 3, ["abcdef", "g"]],
  ["see `pets list` now", 12, ["see", "`pets list`", "now"]],
  ["see `pets list` now", 8, ["see", "`pets", "list`", "now"]],
])("%j in %d columns", (text, width, lines) => {
  expect(wrap(text, width)).toEqual(lines);
});
