import type { JournalView } from "../journal/read.ts";
import type { RowIndex } from "./row-index.ts";

/** A set of row numbers, in one byte per row: a `Set` would take thirty times as much. */
export class RowSet {
  readonly #flags: Uint8Array;
  #size = 0;

  constructor(rows: number) {
    this.#flags = new Uint8Array(rows);
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a row that is not in the set. */
  add(row: number): void {
    this.#flags[row] = 1;
    this.#size += 1;
  }

  has(row: number): boolean {
    return this.#flags[row] === 1;
  }

  /** Yields the rows in ascending order. */
  *[Symbol.iterator](): Generator<number> {
    for (let row = 0; row < this.#flags.length; row += 1) if (this.#flags[row] === 1) yield row;
  }
}

/** The rows of an input that other runs added, or may have. */
export interface Comparison {
  /** Their numbers. */
  readonly known: RowSet;
  /** How many rows were compared: those to be sent that were not compared before. */
  readonly compared: number;
}

/**
 * Compares the remaining rows with those counted in `index`, each of which matches one row: rows that an
 * earlier comparison of the same input marked come first.
 */
export function compareRows(
  index: RowIndex,
  rows: number,
  journal: Pick<JournalView, "state" | "isMarked"> | undefined,
): Comparison {
  if (journal !== undefined)
    for (let row = 0; row < rows; row += 1) if (journal.isMarked(row)) index.take(row);
  const known = new RowSet(rows);
  let compared = 0;
  for (let row = 0; row < rows; row += 1) {
    if (journal !== undefined && (journal.isMarked(row) || journal.state(row) !== "unsent"))
      continue;
    compared += 1;
    if (index.take(row)) known.add(row);
  }
  return { known, compared };
}

/** Returns whether so many rows are known that the input was probably added before. */
export function isMostlyKnown({
  known,
  compared,
}: Pick<Comparison, "compared"> & { readonly known: Pick<RowSet, "size"> }): boolean {
  return known.size >= 2 && known.size * 2 >= compared;
}
