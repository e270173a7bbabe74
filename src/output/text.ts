import textWidth from "./cell-width.cjs";

export { textWidth };

/** Returns the beginning of `text`, at most `columns` wide, with a final `…` if anything was cut. */
export function cutText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let kept = "";
  let used = 0;
  // Cuts between grapheme clusters, so that what a reader sees as one character stays whole.
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += textWidth(segment);
    if (used >= columns) break;
    kept += segment;
  }
  return columns < 1 ? "" : `${kept}…`;
}
