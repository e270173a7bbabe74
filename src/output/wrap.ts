/** The longest line that is easy to read; also the width if the output is not a terminal. */
export const maxWidth = 80;

/** Returns `text` in lines no wider than `width`, unless a word is. Code is not broken. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of splitWords(text, width)) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width)
      lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
  }
  return lines;
}

/** Returns the words of `text`; text between backticks is one word, if it fits into a line. */
function splitWords(text: string, width: number): readonly string[] {
  const words = text.match(/(?:`[^`]*`|\S)+/g) ?? [];
  return words.flatMap((word) => (word.length <= width ? [word] : word.split(" ")));
}
