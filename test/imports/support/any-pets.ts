import {
  type Arbitrary,
  array,
  assert,
  bigInt,
  constantFrom,
  nat,
  oneof,
  property,
  record,
  string,
} from "fast-check";
import { expect } from "vitest";
import { petStatuses } from "../../../src/core/enums.ts";
import { int64Max, int64Min } from "../../../src/core/int64.ts";
import type { NewPet } from "../../../src/core/pet.ts";
import { readDelimited } from "../../../src/imports/input/delimited.ts";
import { readJson } from "../../../src/imports/input/json/json.ts";
import { InputText } from "../../../src/imports/input/text.ts";
import type { ReadRow } from "../../../src/imports/types.ts";

/** Rows without maps. */
export const options = { columnMap: new Map(), valueMap: new Map(), keyPath: undefined };

const readers = {
  ndjson: (text: InputText) => readJson(text, "ndjson", options),
  json: (text: InputText) => readJson(text, "json", options),
  csv: (text: InputText) => readDelimited(text, "csv", options),
  tsv: (text: InputText) => readDelimited(text, "tsv", options),
};

/** Returns texts of these characters, up to a length. */
const textOf = (characters: readonly string[], maxLength: number) =>
  string({ unit: constantFrom(...characters), maxLength });

const hardNames = [...Array.from("aé😀日 \n\r\"',;=\t\uFEFF\u2028\\{[]}:0"), "\r\n", '""'];
const nulls = ["NULL", "none", "NaN", "#N/A", "#DIV/0!", "\\N", "nil", "undefined"];
const name = oneof({ arbitrary: textOf(hardNames, 12), weight: 9 }, constantFrom(...nulls)).filter(
  (text) => text.trim() !== "",
);

const fields: { readonly [Field in keyof NewPet]-?: Arbitrary<NonNullable<NewPet[Field]>> } = {
  name,
  categoryId: bigInt(int64Min, int64Max),
  status: constantFrom(...petStatuses),
};

const pet: Arbitrary<NewPet> = record(fields, { requiredKeys: ["name", "categoryId"] });

/** A few animals whose names are hard to encode. */
export const pets = array(pet, { maxLength: 8 });

/** Where the bytes of a text are split. */
export const cuts = array(nat(400), { maxLength: 12 });

/** Yields the bytes of a text in pieces that end at these places. */
export function* cut(text: string, places: readonly number[]): Generator<Buffer> {
  const bytes = Buffer.from(text);
  let from = 0;
  for (const place of [...places].sort((a, b) => a - b)) {
    if (place > from && place < bytes.length) yield bytes.subarray(from, place);
    if (place > from && place < bytes.length) from = place;
  }
  yield bytes.subarray(from);
}

/** Reads a text whose bytes come in pieces that end at these places. */
export function readCut(format: keyof typeof readers, text: string, places: readonly number[]) {
  const rows: ReadRow[] = [];
  for (const found of readers[format](new InputText(cut(text, places)))) {
    if (found !== undefined) rows.push(found.read);
    if (found !== undefined && "fatal" in found.read) break;
  }
  return rows;
}

/** Returns the rows of these animals, which begin on these lines. */
export const rowsOf = (expected: readonly NewPet[], lines: readonly number[]): readonly ReadRow[] =>
  expected.map((one, index) => ({ index, line: lines[index] ?? 0, pet: one }));

const words = ["name", "categoryId", '{"name":"x","categoryId":1}', "true", "null"];

/** Text of the characters that have a meaning in a format. */
export const anything = textOf([...Array.from('{}[]",:\\\t\n\r 1-.etué'), ...words], 24);

/** Asserts that any text of the characters that have a meaning in a format has the same rows, however it is split. */
export function assertCutsMakeNoDifference(
  format: keyof typeof readers,
  examples: readonly string[] = [],
): void {
  assert(
    property(anything, cuts, (text, places) => {
      const whole = readCut(format, text, []);
      expect(readCut(format, text, places)).toEqual(whole);
      const every = Array.from({ length: 200 }, (_, place) => place);
      expect(readCut(format, text, every)).toEqual(whole);
    }),
    { numRuns: 500, examples: examples.map((text): [string, number[]] => [text, []]) },
  );
}
