import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeControls } from "../../../src/core/sanitize.ts";
import {
  isSingleColumns,
  loadUnicodeMeasurer,
  measurerFor,
} from "../../../src/output/text/width.ts";
import { anyText } from "../pets.ts";

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
    const measurer = await measurerFor([text]);
    expect(measurer.width(text)).toBe(columns);
  });
});

describe("cut", () => {
  it.each([
    ["Rex", 3, "Rex"],
    ["Rexie", 3, "Re…"],
    ["Rexie", 1, "…"],
    ["Rexie", 0, ""],
    ["日本語", 6, "日本語"],
    ["日本語", 5, "日本…"],
    ["日本語", 4, "日…"],
    ["日本語", 2, "…"],
    ["日本語", 0, ""],
    ["\u200b", 0, "\u200b"],
    [`${family}${family}`, 3, `${family}…`],
    ["🇩🇪🇫🇷", 3, "🇩🇪…"],
    ["e\u0301e\u0301e\u0301", 2, "e\u0301…"],
    ["น้ำน้ำ", 3, "น้ำ…"],
    ["น้ำน้ำ", 2, "…"],
  ])("of %j to %i columns is %j", async (text, columns, cut) => {
    const measurer = await measurerFor([text]);
    expect(measurer.cut(text, columns)).toBe(cut);
  });

  it("returns text no wider than requested, and complete if it fits", async () => {
    const measurer = await measurerFor(["日"]);
    fc.assert(
      fc.property(anyText, fc.nat(12), (raw, columns) => {
        const text = escapeControls(raw);
        const cut = measurer.cut(text, columns);
        expect(measurer.width(cut)).toBeLessThanOrEqual(columns);
        expect(measurer.width(text) > columns || cut === text).toBe(true);
      }),
    );
  });
});

it.each([
  ["Rex ~", true],
  ["", true],
  ["Łatka – “Señor” Женя Ωμ…", true],
  ["e\u0301", false],
  ["co\u00adop", false],
  ["日本", false],
  ["a\tb", false],
])("%j takes a column per character, and needs no Unicode tables: %s", (text, isSimple) => {
  expect(isSingleColumns(text)).toBe(isSimple);
});

it("agrees with the Unicode tables on every character that needs none", async () => {
  const measurer = await loadUnicodeMeasurer();
  const all = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code));
  const simple = all.filter(isSingleColumns);
  expect(simple.length).toBeGreaterThan(1_000);
  // Joined to a wide character, so that it is measured by the tables.
  expect(simple.filter((character) => measurer.width(`日${character}`) !== 3)).toEqual([]);
});
