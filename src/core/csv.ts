/**
 * Returns a line of CSV (RFC 4180). What a reader would change or skip is quoted: outer blanks, and totals and what stands
 * for nothing, unless `isBare` says that this cell stood so without quotes.
 */
export function csvLine(
  cells: readonly string[],
  separator = ",",
  lineEnd = "\r\n",
  isBare: (at: number) => boolean = () => false,
): string {
  // A single empty cell would be an empty line.
  if (cells.length === 1 && cells[0] === "") return `""${lineEnd}`;
  return cells.map((cell, at) => csvCell(cell, separator, isBare(at))).join(separator) + lineEnd;
}

const totals =
  /^\W*(?:(?:grand|overall|sub|sous)[- ]?|\p{L}+ )?(?:totale?s?|sums?|count|average|(?:gesamt|zwischen|teil)?summe|gesamt(?:zahl|anzahl|ergebnis)?|insgesamt|ergebnis|totaal|suma|summa|anzahl|durchschnitt|moyenne|promedio|ukupno|итого|всего|celkem|razem|toplam|合计|合計|Σ)\W*(?:\d.*)?$/iu;
/** What each of them has: most names have none, and are told from them faster. */
const partOfTotal =
  /tot|sum|samt|ergeb|count|avera|zahl|schnitt|moyen|prome|ukup|итог|всег|celk|raze|topl|[合Σ]/i;

/** Returns whether a cell of CSV without quotes looks like the label of a total, as spreadsheets and databases write it. */
export const looksLikeTotal = (cell: string): boolean =>
  cell.length < 40 && partOfTotal.test(cell) && totals.test(cell);

/** Returns whether a cell of CSV without quotes stands for nothing, as databases and spreadsheets write that. */
export const standsForNothing = (cell: string): boolean =>
  cell.length < 10 &&
  /^(?:null|\\n|none|nan|nil|undefined|#(?:n\/a|ref!|value!|name\?|div\/0!|num!|null!))$/i.test(
    cell,
  );

function csvCell(text: string, separator: string, isBare: boolean): string {
  const word = text.trim();
  const isItself = standsForNothing(word) || looksLikeTotal(word) ? isBare : word === text;
  const isPlain = !text.includes(separator) && !/["\r\n]/.test(text);
  return isPlain && isItself ? text : `"${text.replaceAll('"', '""')}"`;
}
