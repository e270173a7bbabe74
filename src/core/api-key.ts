import { usageFailure } from "./errors.ts";

const visibleChars = 4;
const minUnmistakableLength = 12;

/** Returns whether no text contains `key` by chance, so that its end may be shown: it has 12 characters or more. */
export function isUnmistakable(key: string): boolean {
  return key.length >= minUnmistakableLength;
}

/** Returns `key` for display: `…` and its last 4 characters, or `…` alone if it is shorter than 12. */
export function maskKey(key: string): string {
  return isUnmistakable(key) ? `…${key.slice(-visibleChars)}` : "…";
}

/** Returns what messages call a key: with its end, if that may be shown. */
export function nameKey(key: string): string {
  return isUnmistakable(key) ? `the API key ${maskKey(key)}` : "the API key";
}

/** Returns whether `key` can be sent as a bearer token (RFC 6750, 2.1): printable ASCII without white space, not empty. */
export function isApiKey(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key);
}

/** Returns `key` if it can be sent. Throws a usage Failure that names `from`, never the key. */
export function parseApiKey(key: string, from: string): string {
  if (isApiKey(key)) return key;
  const problem = key === "" ? "is empty" : "contains white space or non-ASCII characters";
  throw usageFailure(`the key from ${from} ${problem}`);
}
