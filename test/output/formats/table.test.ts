import * as fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { petColumns } from "../../../src/output/columns.ts";
import { openStream } from "../../../src/output/formats/index.ts";
import { widestLine, withoutSequences } from "../../support/command/terminal.ts";
import { anyPet, formatted, huge, rex } from "../pets.ts";

const onTerminal = (width: number, color = false) => ({ terminal: true, width, color });

describe("a table", () => {
  it("aligns columns, and leaves no blanks at the ends of lines", async () => {
    expect(await formatted("table", [rex, huge])).toBe(
      [
        "ID                   NAME  CATEGORY              STATUS",
        "7                    Rex   3                     available",
        "9223372036854775807  Ada   -9223372036854775808",
        "",
      ].join("\n"),
    );
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
    const [header = "", ...rows] = (await formatted("table", [{ ...rex, name }, rex]))
      .trimEnd()
      .split("\n");
    for (const row of rows)
      expect(stringWidth(row.slice(0, row.lastIndexOf("3  ")))).toBe(header.indexOf("CATEGORY"));
  });

  it("keeps every name complete in a pipe, and pads no row to an endless one", async () => {
    const name = `${"long ".repeat(20_000)}日本`;
    const [, long, short] = (await formatted("table", [{ ...rex, name }, rex])).split("\n");
    expect(long).toBe(`7   ${name}  3         available`);
    expect(short).toBe(`7   ${"Rex".padEnd(1024)}  3         available`);
  });

  it.each([
    [40, "ID  NAME             CATEGORY  STATUS\n7   Sir Barks-a-Lo…  3         available\n"],
    [26, "ID  NAME    CATEG…  STATUS\n7   Sir B…  3       avail…\n"],
    [12, "…  …  …  …\n7  …  3  …\n"],
    [8, "… … … …\n7 … 3 …\n"],
  ])("cuts the widest columns to a terminal of %i", async (width, expected) => {
    const records = [{ ...rex, name: "Sir Barks-a-Lot the Second" }];
    expect(await formatted("table", records, onTerminal(width))).toBe(expected);
  });

  it("colours the header and statuses, but not the blanks next to them", async () => {
    const records = [rex, { ...rex, status: "sold" }];
    const colored = await formatted("table", records, { color: true });
    expect(colored).toContain("  \x1b[32mavailable\x1b[39m\n");
    expect(colored).toContain("\x1b[1mID\x1b[22m  \x1b[1mNAME\x1b[22m");
    expect(withoutSequences(colored)).toBe(await formatted("table", records));
  });

  it("has one line per record, no wider than the terminal if the numbers fit, without control characters", async () => {
    const pets = fc.array(anyPet, { minLength: 1, maxLength: 4 });
    const widths = fc.integer({ min: 1, max: 120 });
    await fc.assert(
      fc.asyncProperty(pets, widths, fc.boolean(), async (records, width, color) => {
        const drawn = await formatted("table", records, onTerminal(width, color));
        const shown = withoutSequences(drawn);
        expect(shown.split("\n")).toHaveLength(records.length + 2);
        expect(shown.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
        const digits = (["id", "categoryId"] as const).map((field) =>
          Math.max(...records.map((pet) => String(pet[field]).length)),
        );
        const least = digits.reduce((sum, one) => sum + one, 5);
        expect(widestLine(drawn)).toBeLessThanOrEqual(Math.max(width, least));
        for (const pet of records) expect(shown).toContain(String(pet.id));
      }),
    );
  });
});

const stream = { format: "table", columns: petColumns, color: false } as const;

describe("a table of records that come one by one", () => {
  const name = "Sir Barks-a-Lot the Second";

  it("has fixed columns, which longer values push out", async () => {
    const table = await openStream({ ...stream, terminal: false });
    expect(table.add([rex])).toBe(
      "ID      NAME                  CATEGORY  STATUS\n7       Rex                   3         available\n",
    );
    expect(table.add([{ ...rex, name }])).toBe(
      "7       Sir Barks-a-Lot the Second  3         available\n",
    );
  });

  it("cuts names on a terminal, but no number", async () => {
    const table = await openStream({ ...stream, terminal: true, width: 60 });
    expect(table.add([{ ...rex, name }])).toBe(
      "ID      NAME                  CATEGORY  STATUS\n7       Sir Barks-a-Lot the…  3         available\n",
    );
    expect(table.add([{ ...huge, name }])).toBe(
      "9223372036854775807  Sir Ba…  -9223372036854775808\n",
    );
    expect(table.add([{ ...rex, status: "retired to a farm" }])).toBe(
      "7       Rex                   3         retired to a farm\n",
    );
  });
});
