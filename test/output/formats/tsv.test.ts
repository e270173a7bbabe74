import * as fc from "fast-check";
import { expect, it } from "vitest";
import { tsvWriter } from "../../../src/output/formats/tsv.ts";
import { anyPet, anyText, fieldTexts, huge, odd, rex, someFields, textOf } from "../pets.ts";

const pets = fc.array(anyPet, { maxLength: 5 });

it.each([
  [
    [rex, huge],
    {},
    "id\tname\tcategoryId\tstatus\n7\tRex\t3\tavailable\n9223372036854775807\tAda\t-9223372036854775808\t\n",
  ],
  [[odd], { fields: ["name"] }, 'name\na"b,\\t\\r\\n\\\\\x1b\u202e\n'],
  [[odd], { fields: ["name"], terminal: true }, 'name\na"b,\\t\\r\\n\\\\\\x1b\\u202e\n'],
  [[], {}, "id\tname\tcategoryId\tstatus\n"],
] as const)("renderTsv of %o with %o", (records, changes, text) => {
  expect(textOf(tsvWriter, records, changes)).toBe(text);
});

it("is read back unchanged", () => {
  const plain: Record<string, string> = { t: "\t", n: "\n", r: "\r", "\\": "\\" };
  const unescape = (text: string) =>
    text.replace(/\\(.)/g, (_, letter: string) => plain[letter] ?? "?");
  fc.assert(
    fc.property(pets, someFields, (records, fields) => {
      const text = textOf(tsvWriter, records, { fields });
      const [header, ...rows] = text
        .split("\n")
        .slice(0, -1)
        .map((line) =>
          line
            .split("\t")
            .map(unescape)
            .map((cell) => cell.toWellFormed()),
        );
      expect(header).toEqual(fields);
      expect(rows).toEqual(fieldTexts(records, fields));
    }),
  );
});

it("shows no control character on a terminal", () => {
  fc.assert(
    fc.property(anyText, (name) => {
      const text = textOf(tsvWriter, [{ ...rex, name }], { terminal: true });
      expect(text.replace(/\r?\n|\t/g, "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
      expect(text.trimEnd().split("\n")).toHaveLength(2);
    }),
  );
});
