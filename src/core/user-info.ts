const start = /[a-z][a-z0-9+.-]{0,30}:[\\/]*/i;

/** Returns `text` with `…` for the user name and password of each URL in it, also of one that is malformed or cut off. */
export function hideUserInfo(text: string): string {
  return /[@…]/.test(text) ? text.replace(/\S+/g, hideInWord) : text;
}

function hideInWord(word: string): string {
  const end = Math.max(word.lastIndexOf("@"), word.lastIndexOf("…"));
  const { 0: scheme = "", index = 0 } = start.exec(word) ?? {};
  const from = index + scheme.length;
  if (scheme === "" || from >= end || hasNone(word.slice(index))) return word;
  return `${word.slice(0, from)}…${word[end] === "@" ? word.slice(end) : word.slice(end + 1)}`;
}

/** Returns whether a URL is whole, up to its host at least, and has no user info: an `@` may stand in its path. */
function hasNone(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.host !== "" && url.username + url.password === "";
}
