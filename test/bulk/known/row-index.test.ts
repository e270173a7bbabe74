import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fingerprints } from "../../../src/bulk/known/fingerprints.ts";
import { RowIndex } from "../../../src/bulk/known/row-index.ts";

/** Fingerprints with these words, which no rows have. */
class Words extends Fingerprints {
  readonly #rows: readonly (readonly number[])[];

  constructor(rows: readonly (readonly number[])[]) {
    super();
    this.#rows = rows;
  }

  override get length(): number {
    return this.#rows.length;
  }

  override word(row: number, index: number): number {
    return this.#rows[row]?.[index] ?? 0;
  }
}

/** Six kinds, most of which fall on the last place of a table: what makes hash tables go wrong. */
const row = fc
  .tuple(fc.constantFrom(0, -1, -9), fc.constantFrom(0, 1))
  .map(([first, second]) => [first, second, 0, 0]);
const rows = fc.array(row, { maxLength: 12 });

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("count"), row: fc.nat(11) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("take"), row: fc.nat(11) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "clear", row: 0 }) },
);

describe("RowIndex", () => {
  it("counts what a list of the rows would, however they collide", () => {
    fc.assert(
      fc.property(rows, rows, fc.array(step, { maxLength: 30 }), (own, other, steps) => {
        const index = new RowIndex(new Words(own));
        const others = new Words(other);
        const counts = new Map<string, number>();
        const countOf = (each: readonly number[] = []): number => counts.get(String(each)) ?? 0;
        for (const { kind, row: at } of steps) {
          const ofOther = other[at];
          const ofOwn = own[at];
          if (kind === "clear") {
            counts.clear();
            index.clear();
          } else if (kind === "count" && ofOther !== undefined) {
            const isOwn = own.some((each) => String(each) === String(ofOther));
            expect(index.count(others, at)).toBe(isOwn);
            if (isOwn) counts.set(String(ofOther), countOf(ofOther) + 1);
          } else if (kind === "take" && ofOwn !== undefined) {
            const left = countOf(ofOwn);
            expect(index.take(at)).toBe(left > 0);
            counts.set(String(ofOwn), Math.max(0, left - 1));
          }
          expect(own.map((_row, each) => index.countOf(each))).toEqual(own.map(countOf));
        }
      }),
    );
  });

  it.each([0, 1, 2, 3])("tells rows apart by word %i alone", (place) => {
    const plain = [5, 5, 5, 5];
    const index = new RowIndex(new Words([plain]));
    expect(index.count(new Words([plain.with(place, 6)]), 0)).toBe(false);
    expect(index.count(new Words([plain]), 0)).toBe(true);
  });

  it("of no rows has none like any", () => {
    expect(new RowIndex(new Words([])).count(new Words([[0, 0, 0, 0]]), 0)).toBe(false);
  });
});
