/** How much room text takes on a terminal. */
export interface Ruler {
  /** The columns that `text` takes. `text` holds no control character. */
  width(text: string): number;
  /** The beginning of `text`, ended by `…` where something was left out: at most `columns` wide. */
  cut(text: string, columns: number): string;
}

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
export async function rulerFor(texts: Iterable<string>): Promise<Ruler> {
  for (const text of texts)
    if (!isPrintableAscii(text)) return (unicodeRuler ??= await loadRuler());
  return asciiRuler;
}

const asciiRuler: Ruler = {
  width: (text) => text.length,
  cut: (text, columns) =>
    text.length <= columns
      ? text
      : text.slice(0, Math.max(0, columns - 1)) + ellipsis.slice(0, columns),
};

let unicodeRuler: Ruler | undefined;

async function loadRuler(): Promise<Ruler> {
  const { stringWidth } = await import("../vendor/string-width.ts");
  const segmenter = new Intl.Segmenter();
  const width = (text: string): number => stringWidth(text, { countAnsiEscapeCodes: true });
  const cut = (text: string, columns: number): string => {
    if (columns < 1 || isPrintableAscii(text)) return asciiRuler.cut(text, columns);
    let kept = "";
    let cutHere = "";
    let used = 0;
    for (const { segment } of segmenter.segment(text)) {
      used += width(segment);
      if (used > columns) return cutHere + ellipsis;
      kept += segment;
      if (used < columns) cutHere = kept;
    }
    return text;
  };
  return { width, cut };
}
