import { longestRow, rowFields } from "./row.ts";

/** What a spreadsheet may put between values, by the language that it is set to. */
const separators = [",", ";", "\t"] as const;

const lineWithText = /[^\r\n]*[^\s,;"][^\r\n]*/;
const names: ReadonlySet<string> = new Set(rowFields);

/**
 * What stands between the values of a CSV text, by its header: that which sets most column names
 * apart, then that which is there most often. `text` is its beginning, or all where `isWhole`;
 * undefined where more of it is needed to tell.
 */
export function findSeparator(
  text: string,
  { isWhole }: { readonly isWhole: boolean },
): string | undefined {
  const found = lineWithText.exec(text);
  const isCut = found === null || found.index + found[0].length === text.length;
  if (isCut && !isWhole && text.length < longestRow) return undefined;
  const header = found?.[0] ?? "";
  const scores = separators.map((separator) => scoreOf(header, separator));
  return separators[scores.indexOf(Math.max(...scores))];
}

function scoreOf(header: string, separator: string): number {
  const cells = header.split(separator);
  const known = cells.filter((cell) => names.has(cell.replace(/^"(.*)"$/, "$1")));
  return known.length + Math.min(cells.length - 1, 999) / 1000;
}
