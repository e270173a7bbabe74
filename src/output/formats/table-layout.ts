import type { Column } from "../records.ts";

/** How wide each column of a table is, and the blanks between two of them. */
export interface ColumnFit {
  readonly widths: readonly number[];
  readonly gap: number;
}

/**
 * Fits columns into a terminal of `terminal` columns; without one nothing is cut. `contents` are the
 * widths of the widest value of each. Flexible columns give way first, then the headers of numbers
 * and codes, then other text, down to one column each, then the gaps: numbers and codes never
 * (contract.md, What goes where).
 */
export function fitColumns(
  columns: readonly Column[],
  contents: readonly number[],
  terminal = Number.POSITIVE_INFINITY,
): ColumnFit {
  const natural = columns.map(({ header }, i) => Math.max(header.length, contents[i] ?? 0));
  const isWhole = columns.map(({ kind }) => kind === "number" || kind === "code");
  const floors = contents.map((width, i) => (isWhole[i] ? Math.max(1, width) : 1));
  const isFlexible = columns.map(({ flexible }) => flexible === true);
  const isOther = columns.map((_column, i) => !isWhole[i] && !isFlexible[i]);
  const room = terminal - 2 * (columns.length - 1);
  const fitted = [isFlexible, isWhole, isOther].reduce(
    (widths: readonly number[], shrinkable) => shrink(widths, floors, shrinkable, room),
    natural,
  );
  return { widths: fitted, gap: sum(fitted) > room ? 1 : 2 };
}

/** Cuts the columns that give to one greatest width, so that all fit into `room`, or as far as they give. */
function shrink(
  widths: readonly number[],
  floors: readonly number[],
  shrinkable: readonly boolean[],
  room: number,
): readonly number[] {
  const cutTo = (most: number): number[] =>
    widths.map((width, i) =>
      shrinkable[i] ? Math.min(width, Math.max(floors[i] ?? 1, most)) : width,
    );
  let [fits, tooWide] = [0, Math.max(...widths) + 1];
  while (tooWide - fits > 1) {
    const middle = Math.floor((fits + tooWide) / 2);
    if (sum(cutTo(middle)) <= room) fits = middle;
    else tooWide = middle;
  }
  return cutTo(fits);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
