/** Returns the command line `words` without passwords in URLs, for the list of processes; undefined without any. */
export function redactedTitle(words: readonly string[]): string | undefined {
  if (!words.some((word) => /postgres|redis/i.test(word))) return undefined;
  const title = words.map(withoutPassword).join(" ");
  return title === words.join(" ") ? undefined : title;
}

// A mistyped URL may contain a password too.
function withoutPassword(word: string): string {
  if (!/^(?:--data=|--limiter=)?(?:postgres(?:ql)?|rediss?):/i.test(word)) return word;
  return word.replace(/(:\/*[^:@/?]*):.*@/, "$1@").replace(/([?&]password=)[^&]*/g, "$1");
}
