const visibleChars = 4;
const minMaskableLength = 12;

/**
 * `key` as it may be shown: `…` and its last 4 characters, or `…` alone when it is shorter than 12
 * (contract.md, Commands).
 */
export function maskKey(key: string): string {
  return key.length < minMaskableLength ? "…" : `…${key.slice(-visibleChars)}`;
}

/** Whether `key` can be sent as a bearer token (RFC 6750, 2.1): printable ASCII without white space, not empty. */
export function isApiKey(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key);
}
