/**
 * A part of a help text, for a terminal (plain.ts) and for the man page (man/page.ts). `Code` in
 * paragraphs and meanings is between backticks.
 */
export type Block = Paragraph | Terms | Lines;

type Paragraph = string;

/** Terms, and what each means. */
interface Terms {
  readonly terms: readonly Term[];
}

export type Term = readonly [term: string, meaning: string];

/** Lines that are shown as they are. */
interface Lines {
  readonly lines: readonly string[];
}

/** Blocks below a heading such as `Options`. */
export interface Section {
  readonly heading: string;
  readonly blocks: readonly Block[];
}

/** All terms in `blocks`. */
export function termsOf(blocks: readonly Block[]): readonly Term[] {
  return blocks.flatMap((block) =>
    typeof block === "object" && "terms" in block ? block.terms : [],
  );
}
