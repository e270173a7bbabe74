/** Returns a message without the name of an animal, in any case, also where the message was cut off within it. */
export function withoutName(message: string, name: string): string {
  const forms = [name, JSON.stringify(name).slice(1, -1), name.trim()].filter(
    (form) => form !== "",
  );
  const pieces = message.split("…");
  const cut = pieces.map((piece, at) =>
    at === pieces.length - 1 ? piece : forms.reduce(withoutStart, piece.replace(/\uFFFD$/, "")),
  );
  return forms.reduce(masked, cut.join("…"));
}

/** Returns a text without the start of `form` that it ends with, if any. */
function withoutStart(text: string, form: string): string {
  const [end, start] = [inOneCase(text), inOneCase(form.slice(0, text.length))];
  let { length } = start;
  while (!end.endsWith(start.slice(0, length))) length -= 1;
  return text.slice(0, text.length - length);
}

function masked(text: string, form: string): string {
  let at = 0;
  const parts = inOneCase(text).split(inOneCase(form));
  return parts
    .map(({ length }) => {
      const part = text.slice(at, at + length);
      at += length + form.length;
      return part;
    })
    .join("…");
}

/** Returns a text of the same length in which case makes no difference. */
const inOneCase = (text: string): string =>
  text.replace(/./gsu, (character) => {
    const lower = character.toLowerCase();
    return lower.length === character.length ? lower : character;
  });
