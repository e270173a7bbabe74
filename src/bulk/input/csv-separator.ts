import { longestRow, rowFields } from "./row.ts";

/** What a spreadsheet may put between values, by the language that it is set to. */
const separators = [",", ";", "\t"] as const;

const names: ReadonlySet<string> = new Set(rowFields);

/**
 * What stands between the values of a CSV text, by its header: that which sets most column names
 * apart, then that which is there most often. `text` is its beginning, or all where `isWhole`;
 * undefined where more of it is needed to tell.
 */
export function detectDelimiter(
  text: string,
  { isWhole }: { readonly isWhole: boolean },
): string | undefined {
  const header = firstLine(text);
  const isCut = header === undefined || text.endsWith(header);
  if (isCut && !isWhole && text.length < longestRow) return undefined;
  const scores = separators.map((separator) => scoreOf(header ?? "", separator));
  return separators[scores.indexOf(Math.max(...scores))];
}

/** The first line that has more than empty values, without its end. */
function firstLine(text: string): string | undefined {
  const place = text.search(/[^\s,;"]/);
  if (place === -1) return undefined;
  const before = text.slice(0, place);
  const start = Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1;
  return /[^\r\n]*/.exec(text.slice(start))?.[0];
}

function scoreOf(header: string, separator: string): number {
  const cells = header.split(separator);
  const known = cells.filter((cell) => names.has(cell.replace(/^"(.*)"$/, "$1")));
  return known.length + Math.min(cells.length - 1, 999) / 1000;
}
