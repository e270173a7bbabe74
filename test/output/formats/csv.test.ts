import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { csvWriter } from "../../../src/output/formats/csv.ts";
import { anyPet, anyText, fieldTexts, huge, odd, rex, someFields, textOf } from "../pets.ts";

const pets = fc.array(anyPet, { maxLength: 5 });

it.each([
  [
    [rex, huge],
    {},
    "id,name,categoryId,status\r\n7,Rex,3,available\r\n9223372036854775807,Ada,-9223372036854775808,\r\n",
  ],
  [[odd], { fields: ["name", "id"] }, 'name,id\r\n"a""b,\t\r\n\\\x1b\u202e",7\r\n'],
  [[odd], { fields: ["name"], terminal: true }, 'name\r\n"a""b,\\t\\r\\n\\\\x1b\\u202e"\r\n'],
  [[huge], { fields: ["status"] }, 'status\r\n""\r\n'],
  [[{ ...rex, name: "a\nb" }], { fields: ["name"] }, 'name\r\n"a\nb"\r\n'],
  [[{ ...rex, name: "a\rb" }], { fields: ["name"] }, 'name\r\n"a\rb"\r\n'],
  [[], {}, "id,name,categoryId,status\r\n"],
] as const)("renderCsv of %o with %o", (records, changes, text) => {
  expect(textOf(csvWriter, records, changes)).toBe(text);
});

it("is read back by csv-parse", () => {
  fc.assert(
    fc.property(pets, someFields, (records, fields) => {
      const text = textOf(csvWriter, records, { fields });
      const [header, ...rows] = parse(text, { skip_empty_lines: true });
      expect(header).toEqual(fields);
      expect(rows).toEqual(fieldTexts(records, fields));
    }),
  );
});

it("shows no control character on a terminal", () => {
  fc.assert(
    fc.property(anyText, (name) => {
      const text = textOf(csvWriter, [{ ...rex, name }], { terminal: true });
      expect(text.replace(/\r?\n|\t/g, "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
      expect(text.trimEnd().split("\n")).toHaveLength(2);
    }),
  );
});
