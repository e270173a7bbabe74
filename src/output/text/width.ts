import textWidth from "../../vendor/cell-width.cjs";

export { textWidth };

const ellipsis = "…";

/** Returns the beginning of `text`, at most `columns` wide, with a final `…` if anything was cut. */
export function cutText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let kept = "";
  let keptBeforeEllipsis = "";
  let used = 0;
  // Cuts between grapheme clusters, so that what a reader sees as one character stays whole.
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += textWidth(segment);
    if (used > columns) return keptBeforeEllipsis + ellipsis.slice(0, columns);
    kept += segment;
    if (used < columns) keptBeforeEllipsis = kept;
  }
  return text;
}
