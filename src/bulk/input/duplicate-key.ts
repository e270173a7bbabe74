const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

/**
 * A key that stands more than once in the object that the valid JSON `text` is, or undefined.
 * `value` is what the text was parsed to, which has only the last of them.
 */
export function duplicateKey(text: string, value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || quoteCountMatches(text, value))
    return undefined;
  const seen = new Set<string>();
  for (const key of keysOf(text)) {
    if (seen.has(key)) return key;
    seen.add(key);
  }
  return undefined;
}

/** Whether every quote in `text` is of a key or a text of `value`: so it is, but for what is rare. */
function quoteCountMatches(text: string, value: object): boolean {
  let quotes = 0;
  for (const part of Object.values(value)) quotes += typeof part === "string" ? 4 : 2;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) quotes -= 1;
  return quotes === 0;
}

/** The keys of the outermost object, as they are parsed. */
function* keysOf(text: string): Generator<string> {
  let depth = 0;
  let last = "";
  for (const [token] of text.matchAll(tokens)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    else if (token === ":" && depth === 1) yield String(JSON.parse(last));
    else last = token;
  }
}
