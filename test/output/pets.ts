import * as fc from "fast-check";
import { type OutputFormatName, petStatuses } from "../../src/core/enums.ts";
import { petFieldNames } from "../../src/core/pet-fields.ts";
import type { Pet } from "../../src/core/pet.ts";
import { petColumns } from "../../src/output/columns.ts";
import { formatRecords, type FormatOptions } from "../../src/output/formats/index.ts";

/** Arbitrary text: ASCII, graphemes of many kinds, control characters, lone surrogates. */
export const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom(
      ...Array.from(
        "a \t\n\r\\\",;|'=#\0\x1b\x7f\x85\u009b\u061c\u200e\u200f\u202e\u2066\u2028█\ufeff",
      ),
      "\ud800",
      "日",
      "👩‍👩‍👧",
      "🇩🇪",
      "e\u0301",
      "\u200b",
      "\u0600",
      "❤️",
    ),
  }),
);

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

const petFields: { readonly [Field in keyof Pet]-?: fc.Arbitrary<NonNullable<Pet[Field]>> } = {
  id: int64,
  name: anyText,
  categoryId: int64,
  status: fc.constantFrom(...petStatuses),
};

export const anyPet: fc.Arbitrary<Pet> = fc.record(petFields, {
  requiredKeys: ["id", "name", "categoryId"],
});

export const rex: Pet = { id: 7n, name: "Rex", categoryId: 3n, status: "available" };
export const huge: Pet = { id: 2n ** 63n - 1n, name: "Ada", categoryId: -(2n ** 63n) };

/** A name in which every format has something to quote or escape. */
export const odd: Pet = { ...rex, name: 'a"b,\t\r\n\\\x1b\u202e' };

/** Some of the fields of animals, at least one. */
export const someFields = fc.subarray([...petFieldNames], { minLength: 1 });

/** Returns the text of the fields of animals, row by row. */
export const fieldTexts = (pets: readonly Pet[], fields: readonly string[]): string[][] =>
  pets.map((pet) => fields.map((field) => String(Reflect.get(pet, field) ?? "").toWellFormed()));

/** Returns animals or other records as `format` prints them, by default in a pipe. */
export const formatted = (
  format: OutputFormatName,
  records: object | readonly object[],
  changes: Partial<FormatOptions> = {},
): Promise<string> =>
  formatRecords(records, {
    format,
    columns: petColumns,
    terminal: false,
    color: false,
    ...changes,
  });
