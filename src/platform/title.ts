/**
 * Returns the command line `words` without the passwords of the database URLs in it, for the list of
 * processes, which anyone on the machine can read; undefined when it has none.
 */
export function redactedTitle(words: readonly string[]): string | undefined {
  if (!words.some((word) => word.toLowerCase().includes("postgres"))) return undefined;
  const title = words.map(withoutPassword).join(" ");
  return title === words.join(" ") ? undefined : title;
}

// A URL that is mistyped may hold one too.
function withoutPassword(word: string): string {
  if (!/^(?:--data=)?postgres(?:ql)?:/i.test(word)) return word;
  return word.replace(/(:\/*[^:@/?]*):.*@/, "$1@").replace(/([?&]password=)[^&]*/g, "$1");
}
