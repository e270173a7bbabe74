import { usageFailure } from "./errors.ts";

const visibleChars = 4;
/** A shorter key is shown without any of its characters. */
const minMaskableLength = 12;

/** Returns `key` for display: `…` and its last 4 characters, or `…` alone if it is shorter than 12. */
export function maskKey(key: string): string {
  return key.length < minMaskableLength ? "…" : `…${key.slice(-visibleChars)}`;
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
