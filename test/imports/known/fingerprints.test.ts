import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fingerprints } from "../../../src/imports/known/fingerprints.ts";
import { petStatuses } from "../../../src/core/enums.ts";
import type { NewPet } from "../../../src/core/pet.ts";

const pet: fc.Arbitrary<NewPet> = fc
  .record(
    {
      name: fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 }),
      categoryId: fc.bigInt({ min: -3n, max: 3n }),
      status: fc.constantFrom(...petStatuses),
    },
    { requiredKeys: ["name", "categoryId"] },
  )
  .map((fields) => fields as NewPet);

function wordsOf(...pets: readonly NewPet[]): string[] {
  const rows = new Fingerprints();
  for (const each of pets) rows.add(each);
  return pets.map((_pet, row) => [0, 1, 2, 3].map((index) => rows.word(row, index)).join());
}

const same = (a: NewPet, b: NewPet): boolean =>
  a.name === b.name && a.categoryId === b.categoryId && a.status === b.status;

describe("Fingerprints", () => {
  it("are equal exactly for equal rows", () => {
    fc.assert(
      fc.property(pet, pet, (a, b) => {
        const [first, second] = wordsOf(a, b);
        expect(first === second).toBe(same(a, b));
      }),
    );
  });

  it.each<readonly [NewPet, NewPet]>([
    [
      { name: "Rex", categoryId: 1n },
      { name: "Rex", categoryId: 1n, status: "sold" },
    ],
    [
      { name: "sold\nRex", categoryId: 1n },
      { name: "Rex", categoryId: 1n, status: "sold" },
    ],
    [
      { name: "Rex ", categoryId: 1n },
      { name: "Rex", categoryId: 1n },
    ],
    [
      { name: "é", categoryId: 1n },
      { name: "e\u0301", categoryId: 1n },
    ],
  ])("differ for %o and %o", (a, b) => {
    const [first, second] = wordsOf(a, b);
    expect(first).not.toBe(second);
  });

  it("are kept in order, however many", () => {
    const rows = new Fingerprints();
    for (let i = 0; i < 70_000; i += 1) rows.add({ name: `Pet ${i}`, categoryId: 1n });
    const bytes = Buffer.concat([...rows.bytes()]);
    expect([rows.length, bytes.length]).toEqual([70_000, 70_000 * 16]);
    expect(bytes.readInt32LE(69_999 * 16 + 4)).toBe(rows.word(69_999, 1));
  });
});

it("frees its memory, and can be used again", () => {
  const rows = new Fingerprints();
  const rex = { name: "Rex", categoryId: 1n };
  rows.add(rex);
  const word = rows.word(0, 0);
  rows.release();
  expect([rows.length, [...rows.bytes()]]).toEqual([0, []]);
  rows.add(rex);
  expect(rows.word(0, 0)).toBe(word);
});
