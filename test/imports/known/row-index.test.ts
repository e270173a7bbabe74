import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fingerprints } from "../../../src/imports/known/fingerprints.ts";
import { RowIndex } from "../../../src/imports/known/row-index.ts";

/** Returns artificial fingerprints with these words. */
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

/** Six kinds, most of which hash to the last slot of a table, a typical source of bugs. */
const anyRow = fc
  .tuple(fc.constantFrom(0, -1, -9), fc.constantFrom(0, 1))
  .map(([first, second]) => [first, second, 0, 0]);
const rows = fc.array(anyRow, { maxLength: 12 });

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("count" as const), row: fc.nat(11) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("take" as const), row: fc.nat(11) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "clear" as const, row: 0 }) },
);

/** The same as a list of what was counted, searched from its beginning. */
class Model {
  readonly #own: readonly string[];
  readonly #others: readonly string[];
  #counted: string[] = [];

  constructor(own: readonly (readonly number[])[], others: readonly (readonly number[])[]) {
    this.#own = own.map(String);
    this.#others = others.map(String);
  }

  clear(): void {
    this.#counted = [];
  }

  count(row: number): boolean {
    const kind = this.#others[row] ?? "";
    if (!this.#own.includes(kind)) return false;
    this.#counted.push(kind);
    return true;
  }

  countOf(row: number): number {
    return this.#counted.filter((kind) => kind === this.#own[row]).length;
  }

  take(row: number): boolean {
    const place = this.#counted.indexOf(this.#own[row] ?? "");
    return place >= 0 && this.#counted.splice(place, 1).length === 1;
  }
}

describe("RowIndex", () => {
  it("counts like a list, however rows collide", () => {
    fc.assert(
      fc.property(rows, rows, fc.array(step, { maxLength: 30 }), (own, other, steps) => {
        const index = new RowIndex(new Words(own));
        const others = new Words(other);
        const model = new Model(own, other);
        const possible = steps.filter(
          ({ kind, row: at }) => at < { count: other.length, take: own.length, clear: 1 }[kind],
        );
        for (const { kind, row: at } of possible) {
          const found = kind === "count" ? index.count(others, at) : index[kind](at);
          expect(found).toBe(model[kind](at));
          expect(own.map((_row, each) => index.countOf(each))).toEqual(
            own.map((_row, each) => model.countOf(each)),
          );
        }
      }),
    );
  });

  it.each([0, 1, 2, 3])("distinguishes rows by word %i alone", (place) => {
    const plain = [5, 5, 5, 5];
    const index = new RowIndex(new Words([plain]));
    expect(index.count(new Words([plain.with(place, 6)]), 0)).toBe(false);
    expect(index.count(new Words([plain]), 0)).toBe(true);
  });

  it("finds nothing in an empty input", () => {
    expect(new RowIndex(new Words([])).count(new Words([[0, 0, 0, 0]]), 0)).toBe(false);
  });
});
