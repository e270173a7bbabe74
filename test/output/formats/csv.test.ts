import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { anyPet, fieldTexts, formatted, huge, odd, rex, someFields } from "../pets.ts";

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
])("CSV of %o with %o", async (records, changes, text) => {
  expect(await formatted("csv", records, changes)).toBe(text);
});

it("is read back by csv-parse", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyPet, { maxLength: 5 }), someFields, async (records, fields) => {
      const text = await formatted("csv", records, { fields });
      const [header, ...rows] = parse(text, { skip_empty_lines: true });
      expect(header).toEqual(fields);
      expect(rows).toEqual(fieldTexts(records, fields));
    }),
  );
});
