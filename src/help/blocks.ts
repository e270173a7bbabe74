/**
 * A part of a help text, for a terminal (render-text.ts) and for the man page (man/roff.ts). In running
 * text, code is between backticks.
 */
export type Block = Paragraph | Heading | List | Terms | Table | Lines;

type Paragraph = string;

/** The title of a topic (level 1), or of a part of it (level 2). */
interface Heading {
  readonly heading: string;
  readonly level: number;
}

/** Items of a bulleted list. */
interface List {
  readonly items: readonly string[];
}

/** Terms, and what each means. */
interface Terms {
  readonly terms: readonly Term[];
}

export type Term = readonly [term: string, meaning: string];

/** A table of three or more columns. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Lines that are shown as they are. */
interface Lines {
  readonly lines: readonly string[];
}

/** Blocks below a heading such as `Options`. */
export interface Section {
  readonly heading: string;
  readonly blocks: readonly Block[];
}

/** Returns all terms in `blocks`. */
export function termsOf(blocks: readonly Block[]): readonly Term[] {
  return blocks.flatMap((block) =>
    typeof block === "object" && "terms" in block ? block.terms : [],
  );
}

/** Returns `table` as terms: the first cell of each row, and the other cells, each after the name of its column. */
export function tableTerms({ head, rows }: Table): readonly Term[] {
  return rows.map(([first = "", ...cells]) => {
    const named = cells.map((cell, place) => `${head[place + 1]}: ${cell}`);
    return [first, named.join("; ")];
  });
}
