/** A part of a help text: in running text, code is between backticks. */
export type Block =
  | string
  /** The title of a topic (level 1), or of a part of it (level 2). */
  | { readonly heading: string; readonly level: number }
  /** The items of a bulleted list. */
  | { readonly items: readonly string[] }
  | { readonly terms: readonly Term[] }
  | Table
  /** Lines that are shown as they are. */
  | { readonly lines: readonly string[] };

export type Term = readonly [term: string, meaning: string];

/** A table of three or more columns. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Returns `table` as terms: the first cell of each row, and the other cells, each after the name of its column. */
export function tableTerms({ head, rows }: Table): readonly Term[] {
  return rows.map(([first = "", ...cells]) => {
    const named = cells.map((cell, place) => `${head[place + 1]}: ${cell}`);
    return [first, named.join("; ")];
  });
}
