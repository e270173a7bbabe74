import { parse } from "csv-parse/sync";
import { array, assert, constantFrom, property, string } from "fast-check";
import { expect, it } from "vitest";
import { csvLine } from "../../src/core/csv.ts";

it.each<[string[], string, string]>([
  [["a", "", "=1"], ",", "a,,=1\r\n"],
  [["a;b", "a,b", "a|b"], ";", '"a;b";a,b;a|b\r\n'],
  [['say "no"', "two\nlines", "\r"], ",", '"say ""no""","two\nlines","\r"\r\n'],
  [[" a", "b\t", "\u00A0"], ",", '" a","b\t","\u00A0"\r\n'],
  [[""], ",", '""\r\n'],
  [["NULL", "none", "\\N", "Nan", "#n/a"], ",", '"NULL","none","\\N","Nan","#n/a"\r\n'],
  [["nil", "Undefined", "nulls", "n/a", "#N/A!"], ",", '"nil","Undefined",nulls,n/a,#N/A!\r\n'],
  [["#REF!", "#name?", "#DIV/0!", "#VALUE"], ",", '"#REF!","#name?","#DIV/0!",#VALUE\r\n'],
  [
    ["Count", "Dog Count", "Average 3", "Count Dracula"],
    ",",
    '"Count","Dog Count","Average 3",Count Dracula\r\n',
  ],
])("the cells %j, separated by %j, are %j", (cells, separator, line) => {
  expect(csvLine(cells, separator)).toBe(line);
});

it("leaves totals and what stands for nothing as they are where they stood so", () => {
  const cells = ["NULL", "Total", " NULL\t", "Total 1", "Total,1", " x"];
  expect(csvLine(cells, ",", "\n", (at) => at > 1)).toBe(
    '"NULL","Total", NULL\t,Total 1,"Total,1"," x"\n',
  );
});

it("is read back by a reader that skips empty lines and drops outer blanks", () => {
  const cell = string({ unit: constantFrom(...Array.from("a,;|\t\"'\r\n \u00A0\uFEFF")) });
  const cells = array(cell, { minLength: 1, maxLength: 4 });
  assert(
    property(cells, constantFrom(",", ";", "|", "\t"), (given, delimiter) => {
      const options = { delimiter, trim: true, skip_empty_lines: true, record_delimiter: "\r\n" };
      expect(parse(csvLine(given, delimiter), options)).toEqual([given]);
    }),
  );
});
