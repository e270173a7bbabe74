const escapes: ReadonlyMap<string, string> = new Map([
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\\", "\\\\"],
]);
const characters = new Map([...escapes].map(([character, escape]) => [escape, character]));

/** Returns a value as TSV holds it: tabs, line ends and backslashes as `\t`, `\n`, `\r` and `\\`. */
export function escapeTsv(value: string): string {
  return value.replace(/[\t\n\r\\]/g, (character) => escapes.get(character) ?? character);
}

/** Returns the value that `escapeTsv` wrote; the first unknown escape is passed to `onUnknown`. */
export function unescapeTsv(text: string, onUnknown: (escape: string) => void): string {
  return text.replace(/\\.?/gsu, (escape) => {
    const character = characters.get(escape);
    if (character === undefined) onUnknown(escape);
    return character ?? escape;
  });
}
