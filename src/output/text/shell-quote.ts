import { invisible } from "./sanitize.ts";

const plain = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** `words` as a command line for the shell of a platform: POSIX (and bash, zsh), or Windows. */
export function shellCommand(words: readonly string[], platform: NodeJS.Platform): string {
  const quote = platform === "win32" ? quoteForWindows : quoteForPosix;
  return words.map((word) => (plain.test(word) ? word : quote(word))).join(" ");
}

function quoteForPosix(word: string): string {
  if (!invisible.test(word)) return singleQuote(word);
  // POSIX.1-2024, 2.2.4: the only quotes in which what can't be seen may be written.
  const escaped = word
    .replace(/[\\']/g, "\\$&")
    .replace(new RegExp(invisible, "g"), escapeCharacter);
  return `$'${escaped}'`;
}

/** Octal of each byte, so that no digit that follows is taken for a part of it. */
function escapeCharacter(character: string): string {
  const bytes = [...Buffer.from(character)];
  return bytes.map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}

function quoteForWindows(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}

/** `text` as one word of bash or zsh, whatever stands in it but NUL. */
export function singleQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** `text` as one word of fish: between single quotes, a backslash counts before a quote or another. */
export function quoteForFish(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

/** `text` as a PowerShell string: it takes curly single quotes for straight ones. */
export function quoteForPowerShell(text: string): string {
  return `'${text.replace(/['\u2018\u2019\u201a\u201b]/g, "$&$&")}'`;
}
