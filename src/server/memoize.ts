/** How many results are kept: with one more, all are forgotten, to bound memory. */
const maxKept = 1_000;
/** The maximum length of a text whose result is kept, in UTF-16 units. */
const maxTextLength = 1_000;

/** Returns `make` as a function that keeps what it returned for a text, which nobody may change. */
export function memoize<T>(make: (text: string) => T): (text: string) => T {
  const kept = new Map<string, T>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined || text.length > maxTextLength) return known ?? make(text);
    const made = make(text);
    if (kept.size >= maxKept) kept.clear();
    kept.set(text, made);
    return made;
  };
}
