import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeControls } from "../../src/core/sanitize.ts";
import { anyText } from "../output/pets.ts";

describe("escapeControls", () => {
  it.each([
    ["Rex", "Rex"],
    ["日本 👩‍👩‍👧 e\u0301", "日本 👩‍👩‍👧 e\u0301"],
    ["back\\slash", "back\\slash"],
    ["a\nb\r\tc", "a\\nb\\r\\tc"],
    ["\x1b[31m\x00\x07", "\\x1b[31m\\x00\\x07"],
    ["\x7f\x80\x9b\x9f\xa0", "\\x7f\\x80\\x9b\\x9f\xa0"],
    ["\u061c\u200d\u200e\u200f", "\\u061c\u200d\\u200e\\u200f"],
    ["\u202a\u202b\u202c\u202d\u202e", "\\u202a\\u202b\\u202c\\u202d\\u202e"],
    ["\u2065\u2066\u2067\u2068\u2069", "\u2065\\u2066\\u2067\\u2068\\u2069"],
    ["\u2028\u2029", "\\u2028\\u2029"],
    ["lone \ud800 surrogate", "lone \ufffd surrogate"],
  ])("shows %j as %j", (text, shown) => {
    expect(escapeControls(text)).toBe(shown);
  });

  it("leaves no control character, and keeps everything else", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = escapeControls(text);
        expect(shown).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Cs}\u2028\u2029]/u);
        expect(shown.length).toBeGreaterThanOrEqual(text.length);
      }),
    );
  });
});
