/** The minimum length of the beginning of a word that is found at the end of a text that was cut. */
const minCut = 4;
/** So much of a word is sought first, by the platform's fast search. */
const probeLength = 16;

/**
 * Returns a function that finds `word` in a text: the start and end of each occurrence that overlaps no earlier
 * one. In a text that was cut it also finds the beginning of the word at the end, of 4 characters or more.
 * It takes linear time for every word and text (Knuth, Morris and Pratt).
 */
export function occurrences(word: string) {
  const probe = word.slice(0, probeLength);
  let table: Uint32Array | undefined;
  return function* find(text: string, isCut: boolean): Iterable<readonly [number, number]> {
    const first = text.indexOf(probe);
    if (first === -1 && !isCut) return;
    table ??= failureTable(word);
    let matched = 0;
    for (
      let at = first === -1 ? Math.max(0, text.length - probe.length) : first;
      at < text.length;
      at += 1
    ) {
      matched = advance(word, table, matched, text[at]);
      if (matched < word.length) continue;
      yield [at + 1 - matched, at + 1];
      matched = 0;
    }
    if (isCut && matched >= minCut) yield [text.length - matched, text.length];
  };
}

/** Returns how many characters of `word` are matched after `next`, if `matched` were before it. */
function advance(
  word: string,
  table: Uint32Array,
  matched: number,
  next: string | undefined,
): number {
  let length = matched;
  while (length > 0 && word[length] !== next) length = table[length - 1] ?? 0;
  return word[length] === next ? length + 1 : 0;
}

/** Returns for each beginning of `word` the length of its longest proper beginning that is also its end. */
function failureTable(word: string): Uint32Array {
  const table = new Uint32Array(word.length);
  for (let at = 1; at < word.length; at += 1)
    table[at] = advance(word, table, table[at - 1] ?? 0, word[at]);
  return table;
}
