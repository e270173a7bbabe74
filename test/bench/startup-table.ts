/** What a command is compared with. */
export type Base = "bare Node" | "plain request";

/** The maximum cost of a command, as a multiple of the cost of its base. */
export interface Bound {
  readonly of: Base;
  readonly factor: number;
}

/** A row of the table: what was measured, or why nothing was. */
export interface Row {
  readonly name: string;
  /** Median CPU time in ms, or a word instead. */
  readonly ms: number | string;
  readonly bound?: Bound;
}

const nameWidth = 44;
const width = 12;

/** Returns the table of `rows`, two of which have the names of the bases. */
export function startupTable(rows: readonly Row[]): string {
  const titles = ["ms", "of bare", "of request", "at most"].map((title) => title.padStart(width));
  const lines = rows.map((row) => {
    if (typeof row.ms === "string") return `${row.name.padEnd(nameWidth)}${row.ms.padStart(width)}`;
    const { ms, bound } = row;
    const ratios = (["bare Node", "plain request"] as const).map((base) => {
      return (ms / msOf(rows, base)).toFixed(2);
    });
    const most = bound === undefined ? "" : bound.factor.toFixed(2);
    const cells = [ms.toFixed(1), ...ratios, most].map((cell) => cell.padStart(width));
    const verdict =
      bound === undefined ? "" : `  of ${bound.of}: ${holds(rows, row) ? "" : "NOT "}held`;
    return (row.name.padEnd(nameWidth) + cells.join("") + verdict).trimEnd();
  });
  return [`${"".padEnd(nameWidth)}${titles.join("")}`, ...lines].join("\n");
}

/** Returns a line for each row that exceeds its bound. */
export function overBounds(rows: readonly Row[]): readonly string[] {
  return rows.flatMap((row) => {
    const { name, bound } = row;
    if (bound === undefined || holds(rows, row)) return [];
    const ratio = (Number(row.ms) / msOf(rows, bound.of)).toFixed(3);
    return [`${name}: ${ratio} of ${bound.of}, ${bound.factor} at most`];
  });
}

function holds(rows: readonly Row[], { ms, bound }: Row): boolean {
  return bound === undefined || Number(ms) <= bound.factor * msOf(rows, bound.of);
}

function msOf(rows: readonly Row[], base: Base): number {
  return Number(rows.find(({ name }) => name === base)?.ms);
}
