import * as fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { tableWriter } from "../../../src/output/formats/table.ts";
import { widestLine, withoutSequences } from "../../support/command/terminal.ts";
import { anyPet, huge, options, rex } from "../pets.ts";

const onTerminal = (width: number, color = false) => options({ terminal: true, width, color });

describe("renderTable", () => {
  it("aligns columns, and leaves no blanks at the ends of lines", async () => {
    expect(await tableWriter.render([rex, huge], options())).toBe(
      [
        "ID                   NAME  CATEGORY              STATUS",
        "7                    Rex   3                     available",
        "9223372036854775807  Ada   -9223372036854775808",
        "",
      ].join("\n"),
    );
  });

  it("returns nothing without records", async () => {
    expect(await tableWriter.render([], options())).toBe("");
  });

  it.each([
    "日本",
    "👩‍👩‍👧",
    "🇩🇪🇫🇷",
    "e\u0301e\u0301",
    "❤️",
    "한글",
    "ｶﾞ",
    "█ █",
    "\x1b[2J\n",
    "\u200b",
    " x ",
  ])("aligns the column after %j", async (name) => {
    const text = await tableWriter.render([{ ...rex, name }, rex], options());
    const [header = "", ...rows] = text.trimEnd().split("\n");
    const column = header.indexOf("CATEGORY");
    for (const row of rows) {
      const before = row.slice(0, row.lastIndexOf("3  "));
      expect(stringWidth(before)).toBe(column);
    }
  });

  it("keeps every name complete in a pipe", async () => {
    const name = `${"long ".repeat(100)}日本 `;
    expect(await tableWriter.render([{ ...rex, name }], options())).toContain(name);
  });

  it("keeps the blanks at the end of a name in the last column", async () => {
    const text = await tableWriter.render(
      [{ ...rex, name: "Rex  " }],
      options({ fields: ["id", "name"] }),
    );
    expect(text).toBe("ID  NAME\n7   Rex  \n");
  });

  it("does not pad all rows to one endless name", async () => {
    const name = "x".repeat(100_000);
    const text = await tableWriter.render([{ ...rex, name }, rex], options());
    const [, long = "", short = ""] = text.split("\n");
    expect(long).toBe(`7   ${name}  3         available`);
    expect(short).toBe(`7   ${"Rex".padEnd(1024)}  3         available`);
  });

  it("does not change a name that looks like part of the layout", async () => {
    const text = await tableWriter.render([{ ...rex, name: "xx x" }, rex], options());
    expect(text.split("\n")[1]).toBe("7   xx x  3         available");
  });

  it.each([
    [40, "ID  NAME             CATEGORY  STATUS\n7   Sir Barks-a-Lo…  3         available\n"],
    [26, "ID  …  CATEGORY  STATUS\n7   …  3         available\n"],
    [12, "…  …  …  ST…\n7  …  3  av…\n"],
  ])("cuts names to a terminal of %i columns", async (width, text) => {
    const records = [{ ...rex, id: 7n, name: "Sir Barks-a-Lot the Second" }];
    const rendered = await tableWriter.render(records, onTerminal(width));
    expect(rendered).toBe(text);
    expect(widestLine(rendered)).toBeLessThanOrEqual(width);
  });

  it("colours the header and statuses, but not the blanks next to them", async () => {
    const text = await tableWriter.render(
      [rex, { ...rex, status: "sold" }],
      options({ color: true }),
    );
    expect(text).toContain("  \x1b[32mavailable\x1b[39m\n");
    expect(text).toContain("\x1b[1mID\x1b[22m  \x1b[1mNAME\x1b[22m");
    expect(withoutSequences(text)).toBe(
      await tableWriter.render([rex, { ...rex, status: "sold" }], options()),
    );
  });

  it("picks and orders columns", async () => {
    const text = await tableWriter.render([rex], options({ fields: ["status", "id"] }));
    expect(text).toBe("STATUS     ID\navailable  7\n");
  });

  it("is right for 500 rows", async () => {
    const records = Array.from({ length: 500 }, (_, i) => ({
      ...rex,
      id: BigInt(i),
      name: `é${i}`,
    }));
    const lines = (await tableWriter.render(records, options())).trimEnd().split("\n");
    expect(lines).toHaveLength(501);
    expect(lines[500]).toBe("499  é499  3         available");
    expect(lines[1]).toBe("0    é0    3         available");
  });

  it("has one line per record, no wider than the terminal if the numbers fit, without control characters", async () => {
    const pets = fc.array(anyPet, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        pets,
        fc.integer({ min: 1, max: 120 }),
        fc.boolean(),
        async (records, width, color) => {
          const text = await tableWriter.render(records, onTerminal(width, color));
          const shown = withoutSequences(text);
          expect(shown.split("\n")).toHaveLength(records.length + 2);
          expect(shown.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
          const digits = (["id", "categoryId"] as const).map((field) =>
            Math.max(...records.map((pet) => String(pet[field]).length)),
          );
          const least = digits.reduce((sum, one) => sum + one, 5);
          expect(widestLine(text)).toBeLessThanOrEqual(Math.max(width, least));
          for (const pet of records) expect(shown).toContain(String(pet.id));
        },
      ),
    );
  });
});
