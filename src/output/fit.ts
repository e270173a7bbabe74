import type { Column } from "./records.ts";

/** How wide each column of a table is, and the blanks between two of them. */
export interface ColumnFit {
  readonly widths: readonly number[];
  readonly gap: number;
}

/**
 * Fits columns into a terminal of `terminal` columns; without one nothing is cut. `contents` are the
 * widths of the widest value of each. Flexible columns give way first, then the headers of numbers,
 * then other text, down to one column each, then the gaps: numbers never (contract.md, What goes where).
 */
export function fitColumns(
  columns: readonly Column[],
  contents: readonly number[],
  terminal = Number.POSITIVE_INFINITY,
): ColumnFit {
  const natural = columns.map(({ header }, i) => Math.max(header.length, contents[i] ?? 0));
  const floors = columns.map(({ kind }, i) =>
    kind === "number" ? Math.max(1, contents[i] ?? 0) : 1,
  );
  const isNumber = columns.map(({ kind }) => kind === "number");
  const isFlexible = columns.map(({ flexible }) => flexible === true);
  const isOther = columns.map((_column, i) => !isNumber[i] && !isFlexible[i]);
  const room = terminal - 2 * (columns.length - 1);
  const widths = [isFlexible, isNumber, isOther].reduce(
    (before, gives) => shrink(before, floors, gives, room),
    natural,
  );
  return { widths, gap: sum(widths) > room ? 1 : 2 };
}

/** Takes from the widest of the columns that give, until all fit into `room` or none can give more. */
function shrink(
  before: readonly number[],
  floors: readonly number[],
  gives: readonly boolean[],
  room: number,
): number[] {
  const widths = [...before];
  for (let excess = sum(widths) - room; excess > 0;) {
    const spare = widths.map((width, i) => (gives[i] ? width - (floors[i] ?? 0) : 0));
    const widest = Math.max(...widths.filter((_width, i) => (spare[i] ?? 0) > 0));
    const place = widths.findIndex((width, i) => width === widest && (spare[i] ?? 0) > 0);
    if (place === -1) break;
    const next = Math.max(0, ...widths.filter((width, i) => gives[i] && width < widest));
    const taken = Math.min(excess, Math.max(1, Math.min(widest - next, spare[place] ?? 0)));
    widths[place] = widest - taken;
    excess -= taken;
  }
  return widths;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
