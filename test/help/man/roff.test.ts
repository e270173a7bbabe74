import { array, assert, constantFrom, oneof, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { request, roffBlocks, roffText } from "../../../src/help/man/roff.ts";
import { available, render } from "./render.ts";

describe("roffText", () => {
  it.each([
    ["--max-wait", String.raw`\-\-max\-wait`],
    [String.raw`\t \n`, String.raw`\(rst \(rsn`],
    [`it's "so"`, String.raw`it\(aqs \(dqso\(dq`],
    ["`^~", String.raw`\(ga\(ha\(ti`],
    ["100±50 – …", String.raw`100\(+-50 \(en ...`],
    ["é 猫 🐈", String.raw`\[u00E9] \[u732B] \[u1F408]`],
  ])("escapes %s", (text, escaped) => {
    expect(roffText(text)).toBe(escaped);
  });
});

describe("roffBlocks", () => {
  it("writes paragraphs, terms and lines", () => {
    const blocks = [
      ".one `two -x`",
      { terms: [["-o, --output <format>", "'three"]] },
      { lines: [".four", "  five"] },
      { heading: "Six", level: 1 },
      "seven",
      { heading: "Eight", level: 2 },
      { items: ["nine"] },
      { head: ["plan", "minute", "day"], rows: [["free", "60", "1,000"]] },
    ] as const;
    expect(roffBlocks(blocks)).toEqual([
      ".PP",
      String.raw`\&.one \fBtwo \-x\fR`,
      ".TP",
      String.raw`\fB\-o\fR, \fB\-\-output\fR \fI<format>\fR`,
      String.raw`\(aqthree`,
      ".PP",
      ".RS 4",
      ".EX",
      String.raw`\&.four`,
      "  five",
      ".EE",
      ".RE",
      '.SH "SIX"',
      "seven",
      '.SS "Eight"',
      String.raw`.IP \(bu 2`,
      "nine",
      ".TP",
      String.raw`\fBfree\fR`,
      "minute: 60; day: 1,000",
    ]);
  });
});

describe.each(available)("what $name shows", (renderer) => {
  const symbols = Array.from(".'\\-\"`^~…±–é猫|<>&%$#@{}[]()");
  const character = oneof(constantFrom(...symbols), string({ minLength: 1, maxLength: 1 }));
  const word = array(character, { minLength: 1, maxLength: 12 }).map((parts) =>
    parts.join("").replaceAll(/\s/g, "x"),
  );

  const longWords = Array.from({ length: 12 }, () => "internationalization responsibilities");

  it("is the text of a paragraph, a term and lines, letter for letter", () => {
    assert(
      property(array(word, { minLength: 1, maxLength: 40 }), (words) => {
        const plain = words.join(" ").replaceAll("`", "x");
        // As at the start of the page (page.ts): otherwise words are hyphenated.
        const page = [
          ".nr HY 0",
          '.TH X 1 "2026-11-21" "x" "y"',
          ".nh",
          ".ad l",
          request("SH", "NAME"),
          String.raw`x \- y`,
          request("SH", "BEGIN"),
          ...roffBlocks([{ terms: [[words[0] ?? "", plain]] }, { lines: [...words] }]),
          request("SH", "END"),
          "x",
        ].join("\n");
        const { text, complaints } = render(renderer, `${page}\n`);
        const shown = text.slice(text.indexOf("BEGIN") + 5, text.lastIndexOf("END"));
        const expected = `${words[0]} ${plain} ${words.join(" ")}`;
        expect(complaints).toBe("");
        expect(shown.normalize().replaceAll(/\s+/g, "")).toBe(
          expected.replaceAll("…", "...").normalize().replaceAll(" ", ""),
        );
      }),
      { numRuns: 50, examples: [[longWords]] },
    );
  });
});
