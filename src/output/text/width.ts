/** How much room text takes on a terminal. */
export interface TextMeasurer {
  /** The columns that `text` takes. `text` holds no control character. */
  width(text: string): number;
  /** The beginning of `text`, ended by `…` where something was left out: at most `columns` wide. */
  cut(text: string, columns: number): string;
}

// What string-width leaves out: the AM vowels of Thai and Lao, which stand beside the letter that they
// are joined to; the soft hyphen, which a terminal shows; and the signs of Arabic and Syriac that
// stand around a number or word.
const missedByStringWidth =
  /(?<=[^])[\u0e33\u0eb3]|[\u00ad\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2]/g;
const printableAscii = /^[ -~]*$/;
const ellipsis = "…";

/** Whether every character of `text` takes exactly one column. */
export function isPrintableAscii(text: string): boolean {
  return printableAscii.test(text);
}

/**
 * A ruler that is right for `texts`. Wide characters and emoji, joined ones and flags too, take two
 * columns, combining marks none (Unicode UAX #11, UTS #51). What knows of these is only loaded when
 * there is more than ASCII.
 */
export async function measurerFor(texts: Iterable<string>): Promise<TextMeasurer> {
  for (const text of texts)
    if (!isPrintableAscii(text)) return (unicodeRuler ??= await loadRuler());
  return asciiRuler;
}

const asciiRuler: TextMeasurer = {
  width: (text) => text.length,
  cut: (text, columns) =>
    text.length <= columns
      ? text
      : text.slice(0, Math.max(0, columns - 1)) + ellipsis.slice(0, columns),
};

let unicodeRuler: TextMeasurer | undefined;

async function loadRuler(): Promise<TextMeasurer> {
  const { stringWidth } = await import("../../vendor/string-width.ts");
  const segmenter = new Intl.Segmenter();
  const width = (text: string): number =>
    stringWidth(text, { countAnsiEscapeCodes: true }) +
    (text.match(missedByStringWidth)?.length ?? 0);
  const cut = (text: string, columns: number): string => {
    if (isPrintableAscii(text)) return asciiRuler.cut(text, columns);
    let kept = "";
    let cutHere = "";
    let used = 0;
    for (const { segment } of segmenter.segment(text)) {
      used += width(segment);
      if (used > columns) return cutHere + ellipsis.slice(0, columns);
      kept += segment;
      if (used < columns) cutHere = kept;
    }
    return text;
  };
  return { width, cut };
}
