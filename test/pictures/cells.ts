/** How a character looks. */
export interface Style {
  /** One of the 16 colours of a terminal; undefined for the default one. */
  readonly color?: number;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
}

/** The content of one or two columns of a terminal: a character with its combining marks. */
export interface Cell {
  readonly text: string;
  readonly width: 1 | 2;
  readonly style: Style;
}

/** A line of a terminal, from its first column on. */
export type Line = readonly Cell[];

/** Text that looks the same from its first character to its last. */
export interface Run {
  readonly text: string;
  /** Its first column, from 0, and how many it takes. */
  readonly column: number;
  readonly columns: number;
  readonly style: Style;
}

/**
 * Returns a line as runs that are placed one by one, so that all columns are aligned whatever font is
 * used: a run begins where the style changes, after two blanks, and where wide characters begin or end.
 * Blanks belong to the run before them; those at the end of the line are left out.
 */
export function runsOf(line: Line): readonly Run[] {
  const runs: Run[] = [];
  let column = 0;
  for (const [i, cell] of line.slice(0, lengthWithoutBlanks(line)).entries()) {
    const last = runs.at(-1);
    if (last !== undefined && belongs(line, i)) runs[runs.length - 1] = joined(last, cell);
    else runs.push({ text: cell.text, column, columns: cell.width, style: cell.style });
    column += cell.width;
  }
  return runs;
}

const isBlank = ({ text, style }: Cell): boolean => text === " " && style.underline !== true;

const lengthWithoutBlanks = (line: Line): number =>
  line.findLastIndex((cell) => !isBlank(cell)) + 1;

/** Returns whether the cell at `i`, which is not the first one, belongs to the run of the one before. */
function belongs(line: Line, i: number): boolean {
  const [cell, before] = [line[i], line[i - 1]];
  if (cell === undefined || before === undefined) return false;
  if (isBlank(cell)) return before.style.underline !== true;
  const shown = line.slice(0, i).findLast((each) => !isBlank(each)) ?? before;
  const isSecondBlank = isBlank(before) && (i < 2 || isBlank(line[i - 2] ?? before));
  return !isSecondBlank && shown.width === cell.width && isSameStyle(shown.style, cell.style);
}

function isSameStyle(one: Style, other: Style): boolean {
  const keys = ["color", "bold", "dim", "italic", "underline"] as const;
  return keys.every((key) => one[key] === other[key]);
}

const joined = (run: Run, { text, width }: Cell): Run => ({
  ...run,
  text: run.text + text,
  columns: run.columns + width,
});
