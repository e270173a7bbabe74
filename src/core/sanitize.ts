/** Invisible characters: C0, DEL and C1, bidirectional controls, and the line separators of Unicode. */
export const invisible = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const unsafe = new RegExp(invisible, "g");

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Returns `text` with control characters and bidirectional controls as visible escapes (`\n`, `\x1b`; `help output`). */
export function escapeControls(text: string): string {
  return text.toWellFormed().replace(unsafe, (character) => short[character] ?? escape(character));
}

/** Returns `text` with a blank in place of each of these: nothing in it acts on a terminal, or ends its line. */
export function blankControls(text: string): string {
  return text.replace(unsafe, " ");
}

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return code > 0xff ? `\\u${hex.padStart(4, "0")}` : `\\x${hex.padStart(2, "0")}`;
}

/** Returns a cell of TSV, with tabs, line ends and backslashes escaped as in JSON. */
export function escapeTsv(text: string): string {
  return text.replace(/[\t\n\r\\]/g, (each) => JSON.stringify(each).slice(1, -1));
}
