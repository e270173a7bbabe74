/** Measures how much room text takes on a terminal. */
export interface TextMeasurer {
  /** Returns the columns that `text` takes. `text` holds no control character. */
  width(text: string): number;
  /** Returns the beginning of `text`, at most `columns` wide, with a final `…` if anything was cut. */
  cut(text: string, columns: number): string;
}

// What string-width leaves out: the AM vowels of Thai and Lao, which take a column of their own after
// the letter that they join; the soft hyphen, which terminals show; and the Arabic and Syriac signs
// that enclose a number or word.
const missedByStringWidth =
  /(?<=[^])[\u0e33\u0eb3]|[\u00ad\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2]/g;
/** Latin, Greek and Cyrillic letters and common punctuation. The Unicode tables cost some 40 ms to load. */
const singleColumns =
  /^[ -~\u00a0-\u00ac\u00ae-\u02af\u0388-\u0481\u048a-\u052f\u1e00-\u1eff\u2013\u2014\u2018-\u201e\u2026]*$/;
const ellipsis = "…";

/** Returns whether every character of `text` takes exactly one column. */
export function isSingleColumns(text: string): boolean {
  return singleColumns.test(text);
}

/** Returns a measurer that is right for `texts`. The Unicode tables are only loaded if one needs them. */
export async function measurerFor(texts: readonly string[]): Promise<TextMeasurer> {
  return texts.every(isSingleColumns) ? simpleMeasurer : loadUnicodeMeasurer();
}

const simpleMeasurer: TextMeasurer = {
  width: (text) => text.length,
  cut: (text, columns) =>
    text.length <= columns
      ? text
      : text.slice(0, Math.max(0, columns - 1)) + ellipsis.slice(0, columns),
};

/**
 * Returns a measurer that is right for any text: wide characters and emoji, joined ones and flags
 * too, take two columns, combining marks none (Unicode UAX #11, UTS #51).
 */
export async function loadUnicodeMeasurer(): Promise<TextMeasurer> {
  const { stringWidth } = await import("../../vendor/string-width.ts");
  const width = (text: string): number =>
    isSingleColumns(text)
      ? text.length
      : stringWidth(text, { countAnsiEscapeCodes: true }) +
        (text.match(missedByStringWidth)?.length ?? 0);
  // Cuts between grapheme clusters, so that what a reader sees as one character stays whole.
  const cut = (text: string, columns: number): string => {
    if (isSingleColumns(text)) return simpleMeasurer.cut(text, columns);
    let kept = "";
    let keptBeforeEllipsis = "";
    let used = 0;
    for (const { segment } of new Intl.Segmenter().segment(text)) {
      used += width(segment);
      if (used > columns) return keptBeforeEllipsis + ellipsis.slice(0, columns);
      kept += segment;
      if (used < columns) keptBeforeEllipsis = kept;
    }
    return text;
  };
  return { width, cut };
}
