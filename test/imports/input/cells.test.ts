import { parse } from "csv-parse/sync";
import { array, assert, constantFrom, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import {
  csvCells,
  detectDelimiter,
  hasOddQuotes,
  tsvCells,
} from "../../../src/imports/input/cells.ts";
import { parseColumnMap } from "../../../src/imports/input/fields.ts";

/** Returns the values that csv-parse reads; undefined if it refuses them. */
function parsed(text: string): readonly string[] | undefined {
  try {
    const [cells = [""]]: string[][] = parse(text, { delimiter: ";" });
    return cells;
  } catch {
    return undefined;
  }
}

describe("csvCells", () => {
  it.each<readonly [string, readonly string[]]>([
    ["", [""]],
    ["a,b", ["a", "b"]],
    ["a,", ["a", ""]],
    ['"a,""b""",c', ['a,"b"', "c"]],
    ['"",""', ["", ""]],
    ['"a\r\nb\n\rc"', ["a\r\nb\n\rc"]],
    ['""""', ['"']],
  ])("reads %j", (text, cells) => {
    expect(csvCells(text, ",")).toEqual(cells);
  });

  it.each(['"', '"a', 'a,"b""', '"a","b'])("finds no end in %j", (text) => {
    const message = expect.stringMatching(/^begins with a quote that is never closed/);
    expect(csvCells(text, ",")).toEqual({ fatal: "content", message });
    expect(hasOddQuotes(text)).toBe(true);
  });

  it.each([
    ['c"d",e', /^has a quote inside a value/],
    ['a,"b"c', /^has text after a closing quote/],
    ['a,"b" ,', /^has text after a closing quote/],
  ])("stops at %j", (text, message) => {
    const fault = { fatal: "content", message: expect.stringMatching(message) };
    expect(csvCells(text, ",")).toEqual(fault);
  });

  it("agrees with csv-parse on any line", () => {
    const unit = constantFrom("a", '"', '""', ";", ";", '";"', " ", "\t");
    assert(
      property(string({ unit, maxLength: 12 }), (text) => {
        const cells = csvCells(text, ";");
        expect("message" in cells ? undefined : cells).toEqual(parsed(text));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("tsvCells", () => {
  it("reads the escapes of any values", () => {
    const names = { "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\", a: "a", n: "n" };
    const value = array(constantFrom("\t", "\n", "\r", "\\", "a", "n"));
    assert(
      property(array(value, { minLength: 1 }), (values) => {
        const text = values.map((units) => units.map((unit) => names[unit]).join("")).join("\t");
        expect(tsvCells(text)).toEqual(values.map((units) => units.join("")));
      }),
    );
  });
});

describe("detectDelimiter", () => {
  it.each([
    ["name,categoryId", ","],
    ["name;categoryId", ";"],
    ["name\tcategoryId", "\t"],
    ['"name";"categoryId"\n', ";"],
    ["name,a;b;c;d", ","],
    ["x;y;z,a", ";"],
    ["name", ","],
    ["", ","],
  ])("of the header %j is %j", (text, delimiter) => {
    expect(detectDelimiter(text)).toMatchObject({ delimiter });
  });

  it("counts columns that --map names", () => {
    const columnMap = parseColumnMap(["Tier=name", "Art=category"]);
    const text = "Tier;Art;x,y,z,w\n";
    expect(detectDelimiter(text, columnMap)).toMatchObject({ delimiter: ";", known: 2 });
  });
});
