/** Matches a letter or digit of a script that separates words. */
const wordCharacter =
  /^(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}])[\p{L}\p{N}\p{M}]$/u;

/**
 * Returns a message without the name of an animal as a word, in any case, also where the message was cut off within it. It
 * is searched without a pattern: one made of a long name could take minutes.
 */
export function withoutName(message: string, name: string): string {
  const forms = new Set([name, JSON.stringify(name).slice(1, -1), name.trim()]);
  let shown = message;
  for (const form of forms) if (form !== "") shown = masked(withoutStarts(shown, form), form);
  return shown;
}

/** Returns a text without the start of `form` that each piece before a `…` ends with, if any. */
function withoutStarts(text: string, form: string): string {
  const pieces = text.split("…");
  const last = pieces.pop() ?? "";
  const cut = pieces.map((piece) => {
    const whole = piece.replace(/\uFFFD$/, "");
    const [end, start] = [inOneCase(whole), inOneCase(form.slice(0, whole.length))];
    let { length } = start;
    while (!end.endsWith(start.slice(0, length)) || isWithinWord(end, end.length - length))
      length -= 1;
    return whole.slice(0, whole.length - length);
  });
  return [...cut, last].join("…");
}

function masked(text: string, form: string): string {
  const [whole, word] = [inOneCase(text), inOneCase(form)];
  let [shown, end] = ["", 0];
  for (let at = whole.indexOf(word); at !== -1; at = whole.indexOf(word, at + 1)) {
    if (at < end || isWithinWord(whole, at) || isWithinWord(whole, at + word.length)) continue;
    shown += `${text.slice(end, at)}…`;
    end = at + word.length;
  }
  return shown + text.slice(end);
}

/** Returns whether the characters before and at a place of a text belong to one word. */
function isWithinWord(text: string, at: number): boolean {
  const before = Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? "";
  const [after = ""] = text.slice(at, at + 2);
  return wordCharacter.test(before) && wordCharacter.test(after);
}

/** Returns a text of the same length in which case makes no difference. */
const inOneCase = (text: string): string =>
  text.replace(/./gsu, (character) => {
    const lower = character.toLowerCase();
    return lower.length === character.length ? lower : character;
  });
