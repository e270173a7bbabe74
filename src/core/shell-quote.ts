import { invisible } from "./sanitize.ts";

const safeWord = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Returns `words` as a command line for the shell of a platform: POSIX (and bash, zsh), or Windows. */
export function shellCommand(words: readonly string[], platform: string): string {
  const quote = platform === "win32" ? quoteForWindows : quoteForPosix;
  return words.map((word) => (safeWord.test(word) ? word : quote(word))).join(" ");
}

function quoteForPosix(word: string): string {
  if (!invisible.test(word)) return singleQuote(word);
  // POSIX.1-2024, 2.2.4: the only quotes in which invisible characters can be written as escapes.
  const escaped = word
    .replace(/[\\']/g, "\\$&")
    .replace(new RegExp(invisible, "g"), escapeCharacter);
  return `$'${escaped}'`;
}

/** Returns the bytes of a character as escapes, of which bash and zsh read two digits each. */
const escapeCharacter = (character: string): string =>
  encodeURIComponent(character).replaceAll("%", "\\x");

function quoteForWindows(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}

/** Returns `text` as one word of bash or zsh; anything except NUL may be in it. */
export function singleQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
