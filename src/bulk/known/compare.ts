import type { JournalView } from "../journal/read.ts";
import type { RowIndex } from "./row-index.ts";

/** The rows of an input that other runs added, or may have. */
export interface Comparison {
  /** Their numbers, in ascending order. */
  readonly known: readonly number[];
  /** How many rows were compared: those to be sent that were not compared before. */
  readonly compared: number;
}

/**
 * Compares the rows that are left with those counted in `index`, which stand for one row each: what an
 * earlier comparison of the same input marked is taken first.
 */
export function compareRows(
  index: RowIndex,
  rows: number,
  journal: Pick<JournalView, "state" | "isMarked"> | undefined,
): Comparison {
  if (journal !== undefined)
    for (let row = 0; row < rows; row += 1) if (journal.isMarked(row)) index.take(row);
  const known: number[] = [];
  let compared = 0;
  for (let row = 0; row < rows; row += 1) {
    if (journal !== undefined && (journal.isMarked(row) || journal.state(row) !== "unsent"))
      continue;
    compared += 1;
    if (index.take(row)) known.push(row);
  }
  return { known, compared };
}

/** Returns whether so many rows are known that the input was probably added before. */
export function isMostlyKnown({ known, compared }: Comparison): boolean {
  return known.length >= 2 && known.length * 2 >= compared;
}
