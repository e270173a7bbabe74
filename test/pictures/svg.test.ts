import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Cell, Style } from "./cells.ts";
import { openEmulator, textOf } from "./screen.ts";
import { escapeXml, stillSvg } from "./svg.ts";
import { contentOf, elementsOf, parseXml } from "./xml.ts";

const words = { title: "A <title>", description: 'all "of" it & more' };

const textsOf = (svg: string): string[] => elementsOf(parseXml(svg), "text").map(contentOf);

describe("a picture", () => {
  it("has a title and a description", () => {
    const svg = parseXml(stillSvg([], 10, words));
    expect(svg.attributes.role).toBe("img");
    expect(elementsOf(svg, "title").map(contentOf)).toEqual([words.title]);
    expect(elementsOf(svg, "desc").map(contentOf)).toEqual([words.description]);
  });

  it.each<[Style, Record<string, string>]>([
    [{}, {}],
    [{ color: 2 }, { fill: "#56d364" }],
    [
      { color: 9, bold: true },
      { fill: "#ffa198", "font-weight": "bold" },
    ],
    [
      { dim: true, italic: true },
      { "fill-opacity": ".6", "font-style": "italic" },
    ],
    [{ underline: true }, { "text-decoration": "underline" }],
  ])("shows %j", (style, attributes) => {
    const line: Cell[] = Array.from("ab", (text) => ({ text, width: 1, style }));
    const [run] = elementsOf(parseXml(stillSvg([line], 10, words)), "tspan");
    expect(run?.attributes ?? {}).toEqual(attributes);
  });

  it("contains every text that a line may have, and nothing that XML forbids", () => {
    // One `fc.string` per character would take a hundred times as long.
    const sign = fc.oneof(
      fc.nat(0x10ffff).map((code) => String.fromCodePoint(code)),
      fc.nat(0xff).map((code) => String.fromCodePoint(code)),
      fc.constantFrom("<", "&", '"', "'", ">", "]]>", "&amp;", "\u0000", "\ud800", "\ufffe", "🐾"),
    );
    fc.assert(
      fc.property(fc.array(sign), (signs) => {
        const line = signs.map((text): Cell => ({ text, width: 1, style: {} }));
        const shown = signs
          .join("")
          .toWellFormed()
          .replace(/[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g, "\ufffd");
        const [text = ""] = textsOf(stillSvg([line], 80, words));
        expect(text.replace(/ +$/, "")).toBe(shown.replace(/ +$/, ""));
      }),
    );
  });

  it("escapes what has a meaning in XML", () => {
    expect(escapeXml(`<&>"'\r\u001b[1m`)).toBe("&lt;&amp;&gt;&quot;&#39;\ufffd\ufffd[1m");
  });
});

describe("a terminal", () => {
  it("is read cell by cell", async () => {
    const emulator = openEmulator({ columns: 20, rows: 3 });
    await emulator.write("\u001b[1mID\u001b[22m \u001b[32m🐾 小\u001b[39m\r\nwrong\r\u001b[Kright");
    const { lines, scrolled } = emulator.look();
    expect(scrolled).toBe(0);
    expect(lines.map(textOf)).toEqual(["ID 🐾 小", "right"]);
    expect(lines[0]?.slice(0, 6)).toEqual([
      { text: "I", width: 1, style: { bold: true } },
      { text: "D", width: 1, style: { bold: true } },
      { text: " ", width: 1, style: {} },
      { text: "🐾", width: 2, style: { color: 2 } },
      { text: " ", width: 1, style: { color: 2 } },
      { text: "小", width: 2, style: { color: 2 } },
    ]);
  });

  it("keeps what is scrolled out at its top", async () => {
    const emulator = openEmulator({ columns: 20, rows: 2 });
    await emulator.write("1\r\n2\r\n3\r\n4");
    const { lines, scrolled } = emulator.look();
    expect([lines.map(textOf), scrolled]).toEqual([["1", "2", "3", "4"], 2]);
  });

  it.each(["\u001b[41mred", "\u001b[7mreverse", "\u001b[38;5;200mmore"])(
    "rejects colours that pictures don't have: %j",
    async (text) => {
      const emulator = openEmulator({ columns: 20, rows: 2 });
      await emulator.write(text);
      expect(() => emulator.look()).toThrow("can't show the colours");
    },
  );
});
